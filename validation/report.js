'use strict';
// Draws the charts of the report from the numbers in #chart-data. No animation; nothing is loaded.
(function() {
document.documentElement.classList.add('js');
const data = JSON.parse(document.getElementById('chart-data').textContent);
const style = getComputedStyle(document.documentElement);
const colour = name => style.getPropertyValue('--' + name).trim();
const kCalibration = 0, kOutOfScope = 2;
const kSmallestError = 1e-4;  // an axis of logarithms has no 0: smaller errors are drawn here

// ---- numbers for people
const blank = '\u202f';
const plain = (v, digits) => String(parseFloat(v.toPrecision(digits)));
function withUnit(value, units, digits) {
  for (const [factor, name] of units)
    if (Math.abs(value) >= factor * 0.99999) return plain(value / factor, digits) + blank + name;
  const [factor, name] = units[units.length - 1];
  return plain(value / factor, digits) + blank + name;
}
const seconds = (v, digits = 4) =>
    withUnit(v, [[1, 's'], [1e-3, 'ms'], [1e-6, '\u00b5s'], [1e-9, 'ns']], digits);
const bytes = v =>
    withUnit(v, [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']], 4);
const percent = v => plain(100 * v, 3) + blank + '%';
const rate = v => plain(v / 1e9, 4) + blank + 'GB/s';

// ---- axes
const title = (text) => ({display: true, text, color: colour('soft'), font: {size: 11.5}});
const ticks = format =>
    ({color: colour('soft'), font: {size: 11}, maxRotation: 0, callback: format, autoSkip: false});
const grid = {
  color: '#eaeef2'
};

/** Ticks at powers of two, every k-th so that at most nine remain. */
function sizeAxis(values) {
  const low = Math.log2(Math.max(1, Math.min(...values))), high = Math.log2(Math.max(2, Math.max(...values)));
  const margin = 0.03 * (high - low) + 0.15;
  const step = Math.max(1, Math.ceil((high - low) / 8));
  return {
    type: 'logarithmic',
    min: 2 ** (low - margin),
    max: 2 ** (high + margin),
    grid,
    title: title('message size'),
    ticks: ticks(bytes),
    afterBuildTicks: axis => {
      axis.ticks = [];
      for (let k = Math.ceil(low - 1e-9); k <= high + 1e-9; k += step) axis.ticks.push({value: 2 ** k});
    }
  };
}

/** Decades, or more ticks where there are few of them. */
function logAxis(values, name, format) {
  const shown = values.filter(v => v > 0);
  const low = shown.length ? Math.min(...shown) : 1, high = shown.length ? Math.max(...shown) : 10;
  const min = low / 1.25, max = high * 1.25;
  const decades = Math.log10(max / min);
  const factors = decades > 4 ? [1] :
      decades > 2             ? [1, 3] :
      decades > 1             ? [1, 2, 5] :
                                [1, 1.5, 2, 3, 4, 5, 6, 8];
  return {
    type: 'logarithmic',
    min,
    max,
    grid,
    title: title(name),
    ticks: ticks(format),
    afterBuildTicks: axis => {
      axis.ticks = [];
      for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); ++e)
        for (const f of factors) {
          const value = f * 10 ** e;
          if (value >= min && value <= max) axis.ticks.push({value});
        }
    }
  };
}

// ---- what is drawn besides lines and points: the sizes out of scope, the spread of repeats, flagged points,
// the noise floor and band
const marks = {
  id: 'marks',
  beforeDatasetsDraw(chart, _, options) {
    const {ctx, chartArea: area, scales: {x, y}} = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left, area.top, area.width, area.height);
    ctx.clip();
    ctx.fillStyle = 'rgba(143, 150, 158, 0.13)';
    for (const [from, to] of options.shaded || []) {
      const left = x.getPixelForValue(from), right = x.getPixelForValue(to);
      ctx.fillRect(left, area.top, right - left, area.height);
    }
    if (options.band > 0) {
      const top = y.getPixelForValue(options.band), bottom = y.getPixelForValue(-options.band);
      ctx.fillStyle = 'rgba(87, 96, 106, 0.18)';
      ctx.fillRect(area.left, top, area.width, bottom - top);
    }
    ctx.lineWidth = 1;
    for (const [at, low, high, stroke] of options.whiskers || []) {
      ctx.strokeStyle = stroke;
      ctx.beginPath();
      ctx.moveTo(x.getPixelForValue(at), y.getPixelForValue(low));
      ctx.lineTo(x.getPixelForValue(at), y.getPixelForValue(high));
      ctx.stroke();
    }
    ctx.strokeStyle = colour('default');
    ctx.lineWidth = 1.5;
    for (const [at, value] of options.flags || []) {
      ctx.beginPath();
      ctx.arc(x.getPixelForValue(at), y.getPixelForValue(value), 8, 0, 2 * Math.PI);
      ctx.stroke();
    }
    ctx.lineWidth = 1;
    ctx.strokeStyle = colour('soft');
    ctx.setLineDash([4, 3]);
    if (options.level > 0)
      line(ctx, area.left, y.getPixelForValue(options.level), area.right, y.getPixelForValue(options.level));
    if (options.upright > 0)
      line(
          ctx, x.getPixelForValue(options.upright), area.top, x.getPixelForValue(options.upright),
          area.bottom);
    ctx.restore();
  }
};
function line(ctx, x1, y1, x2, y2) {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

const kSeries = [
  {key: 'baseline', label: 'alpha\u2013beta', dash: [2, 3], width: 1.8},
  {key: 'default', label: 'default', dash: [6, 3], width: 2},
  {key: 'calibrated', label: 'calibrated', dash: [], width: 2.2}
];
const pairs = (xs, ys) => xs.map((x, i) => ({x, y: ys[i]}));

/** Simulated lines; grey where a size is out of scope. */
function lines(group, value) {
  return kSeries.filter(s => group[s.key].some(v => v !== null))
      .map(s => ({
             label: s.label,
             type: 'line',
             data: pairs(group.bytes, group[s.key].map((v, i) => v === null ? null : value(v, i))),
             borderColor: colour(s.key),
             backgroundColor: colour(s.key),
             borderWidth: s.width,
             borderDash: s.dash,
             pointRadius: 0,
             pointHitRadius: 6,
             order: 2,
             segment: {
               borderColor: c =>
                   group.set[c.p1DataIndex] === kOutOfScope || group.set[c.p0DataIndex] === kOutOfScope ?
                   colour('outside') :
                   undefined
             }
           }));
}

/** So many points that they would hide the lines: they are drawn small, and below. */
const isDense = group => group.bytes.length > 80;

/** Of a curve of many points, at each size the median over sizes within a few per cent of it. */
function smoothed(group, values) {
  const kReach = 1.06, x = group.bytes;
  let begin = 0, end = 0;
  return values.map((_, i) => {
    while (x[begin] * kReach < x[i]) ++begin;
    while (end < x.length && x[end] <= x[i] * kReach) ++end;
    const near = values.slice(begin, end).filter(v => v !== null).sort((a, b) => a - b);
    return near.length ? near[near.length >> 1] : null;
  });
}

/** Points of one quantity that says fitted, held out and out of scope by their shape. */
function points(group, label, values, tint) {
  const many = isDense(group);
  const pick = ours =>
      group.bytes.map((x, i) => ({x, y: ours(group.set[i]) ? values[i] : null})).filter(p => p.y !== null);
  const base = {type: 'scatter', showLine: false, order: many ? 3 : 1, borderColor: tint};
  return [
    {
      ...base,
      label: label + ', fitted',
      data: pick(s => s === kCalibration),
      backgroundColor: tint,
      pointRadius: many ? 1.6 : 3.2,
      pointStyle: 'circle',
      borderWidth: 1
    },
    {
      ...base,
      label: label + ', held out',
      data: pick(s => s !== kCalibration && s !== kOutOfScope),
      backgroundColor: '#fff',
      pointRadius: many ? 2 : 4,
      pointStyle: 'rectRot',
      borderWidth: many ? 1 : 1.5
    },
    {
      ...base,
      label: label + ', out of scope',
      data: pick(s => s === kOutOfScope),
      borderColor: colour('outside'),
      backgroundColor: colour('outside'),
      pointRadius: many ? 2 : 3.6,
      pointStyle: 'crossRot',
      borderWidth: 1.5
    }
  ];
}

/** Runs of sizes out of scope, each to half way to its neighbours in scope. */
function shaded(group) {
  const runs = [], x = group.bytes, n = x.length;
  for (let i = 0; i < n; ++i) {
    if (group.set[i] !== kOutOfScope) continue;
    let end = i;
    while (end + 1 < n && group.set[end + 1] === kOutOfScope) ++end;
    runs.push([
      i > 0 ? Math.sqrt(x[i] * x[i - 1]) : x[i] / 2, end + 1 < n ? Math.sqrt(x[end] * x[end + 1]) : x[end] * 2
    ]);
    i = end;
  }
  return runs;
}

function whiskers(group, value) {
  const found = [];
  group.bytes.forEach((x, i) => {
    if (group.high[i] > group.low[i])
      found.push([
        x, value(group.low[i], i), value(group.high[i], i),
        group.set[i] === kOutOfScope ? colour('outside') : 'rgba(31, 35, 40, 0.55)'
      ]);
  });
  return found;
}

const flags = (group, values) => group.flagged.map(i => [group.bytes[i], values[i]]);

function draw(canvas, heading, datasets, scales, extra, tooltip) {
  return new Chart(canvas, {
    data: {datasets},
    plugins: [marks],
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      devicePixelRatio: Math.max(2, window.devicePixelRatio || 1),
      normalized: true,
      interaction: {mode: 'nearest', intersect: false, axis: 'xy'},
      scales,
      plugins: {
        legend: {display: false},
        marks: extra || {},
        title: {
          display: true,
          text: heading,
          align: 'start',
          color: colour('ink'),
          font: {size: 12.5, weight: '600'},
          padding: {top: 4, bottom: 6}
        },
        tooltip: {
          displayColors: false,
          callbacks: {title: () => '', label: c => c.dataset.label + ': ' + tooltip(c.parsed)}
        }
      }
    }
  });
}

const errorOf = (group, key) => group[key].map(
    (v, i) =>
        v === null ? null : Math.max(kSmallestError, Math.abs(v - group.measured[i]) / group.measured[i]));
const signedErrorOf = (group, key) =>
    group[key].map((v, i) => v === null ? null : (v - group.measured[i]) / group.measured[i]);
const numbers = (...lists) => lists.flat().filter(v => v !== null);

// ---- the charts, by the name in data-chart
const charts = {
  time(canvas, group) {
    const y = logAxis(
        numbers(group.measured, group.low, group.high, group.default, group.calibrated, group.baseline),
        'completion time', v => seconds(v));
    draw(
        canvas, 'Completion time',
        [...lines(group, v => v), ...points(group, 'measured', group.measured, colour('measured'))],
        {x: sizeAxis(group.bytes), y},
        {shaded: shaded(group), whiskers: whiskers(group, v => v), flags: flags(group, group.measured)},
        p => seconds(p.y) + ' at ' + bytes(p.x));
  },

  bandwidth(canvas, group) {
    const of = (t, i) => group.bytes[i] / t;
    const measured = group.measured.map(of);
    const all = [...measured, ...group.low.map(of)].concat(
        ...kSeries.map(s => group[s.key].map((v, i) => v === null ? 0 : of(v, i))));
    const max = 1.05 * Math.max(1, ...all.filter(isFinite));
    const axis = (factor, text, more) => ({
      min: 0,
      max: max * factor,
      title: title(text),
      ticks: {...ticks(v => plain(v / 1e9, 3)), autoSkip: true, includeBounds: false},
      grid,
      ...more
    });
    const scales = {x: sizeAxis(group.bytes), y: axis(1, 'algorithmic, GB/s', {})};
    if (group.bus !== null && group.bus !== 1)
      scales.bus = axis(group.bus, 'bus, GB/s', {position: 'right', grid: {drawOnChartArea: false}});
    draw(
        canvas, group.bus === 1 ? 'Algorithmic bandwidth (= bus bandwidth)' : 'Bandwidth',
        [...lines(group, of), ...points(group, 'measured', measured, colour('measured'))], scales,
        {shaded: shaded(group), whiskers: whiskers(group, of), flags: flags(group, measured)},
        p => rate(p.y) + (group.bus === null ? '' : ' (bus ' + rate(p.y * group.bus) + ')') + ' at ' +
            bytes(p.x));
  },

  residual(canvas, group) {
    const signed = v => (v > 0 ? '+' : '') + percent(v);
    const own = signedErrorOf(group, 'calibrated');
    const inScope = own.filter((v, i) => v !== null && group.set[i] !== kOutOfScope);
    const reach =
        1.25 * Math.max(0.002, group.noise || 0, ...numbers(inScope.length ? inScope : own).map(Math.abs));
    const joined = {
      label: 'calibrated',
      type: 'line',
      data: pairs(group.bytes, own),
      borderColor: colour('calibrated'),
      borderWidth: 1,
      pointRadius: 0,
      order: 2
    };
    const name = group.noise === null ? 'no repeats: noise unknown' : 'band: noise floor';
    draw(
        canvas, '(calibrated \u2212 measured) / measured, ' + name,
        [...(isDense(group) ? [] : [joined]), ...points(group, 'calibrated', own, colour('calibrated'))], {
          x: sizeAxis(group.bytes),
          y: {
            type: 'linear',
            min: -reach,
            max: reach,
            grid: {color: c => c.tick.value === 0 ? '#57606a' : '#eaeef2'},
            title: title('signed error'),
            ticks: {...ticks(signed), autoSkip: true, includeBounds: false}
          }
        },
        {shaded: shaded(group), band: group.noise}, p => signed(p.y) + ' at ' + bytes(p.x));
  },

  error(canvas, group) {
    const many = isDense(group);
    const faint = many ? '55' : '';  // so many points are the background of their running medians
    const sets = kSeries.filter(s => s.key !== 'baseline')
                     .flatMap(s => points(group, s.label, errorOf(group, s.key), colour(s.key) + faint));
    const thin = kSeries.map(
        s => ({
          label: s.label + (many ? ', running median' : ''),
          type: 'line',
          data: pairs(group.bytes, many ? smoothed(group, errorOf(group, s.key)) : errorOf(group, s.key)),
          borderColor: colour(s.key),
          borderWidth: many ? s.width : 1,
          borderDash: s.dash,
          pointRadius: 0,
          order: 2
        }));
    const y = logAxis(
        numbers(
            errorOf(group, 'default'), errorOf(group, 'calibrated'), errorOf(group, 'baseline'),
            [group.noise]),
        'E', percent);
    draw(
        canvas, 'Error E = |simulated \u2212 measured| / measured' + (many ? ', lines: running median' : ''),
        [...thin, ...sets], {x: sizeAxis(group.bytes), y}, {shaded: shaded(group), level: group.noise},
        p => percent(p.y) + ' at ' + bytes(p.x));
  },

  distribution(canvas, group) {
    const heldOut = key =>
        errorOf(group, key)
            .filter((e, i) => e !== null && group.set[i] !== kCalibration && group.set[i] !== kOutOfScope)
            .sort((a, b) => a - b);
    const errors = kSeries.map(s => heldOut(s.key));
    const x = logAxis(numbers(...errors, [group.noise]), 'E, held-out points', percent);
    const steps = kSeries
                      .map((s, k) => {
                        const e = errors[k], n = e.length;
                        if (n === 0) return null;
                        const data = [
                          {x: x.min, y: 0}, {x: e[0], y: 0}, ...e.map((v, i) => ({x: v, y: (i + 1) / n})),
                          {x: x.max, y: 1}
                        ];
                        return {
                          label: s.label,
                          type: 'line',
                          stepped: 'before',
                          data,
                          borderColor: colour(s.key),
                          borderWidth: s.width,
                          borderDash: s.dash,
                          pointRadius: 0
                        };
                      })
                      .filter(d => d !== null);
    const heading = steps.length ? 'Share of held-out points with an error of at most E' :
                                   'No held-out points in this group';
    draw(
        canvas, heading, steps, {
          x,
          y: {
            type: 'linear',
            min: 0,
            max: 1,
            grid,
            title: title('share of points'),
            ticks: {...ticks(v => plain(100 * v, 3) + blank + '%'), stepSize: 0.25}
          }
        },
        {upright: group.noise}, p => plain(100 * p.y, 3) + blank + '% of points up to ' + percent(p.x));
  },

  loss(canvas, stage) {
    const format = stage.time ? v => seconds(v, 3) : percent;
    const each = {
      label: 'loss of one evaluation',
      type: 'scatter',
      data: pairs(stage.evaluation, stage.loss).filter(p => p.y > 0),
      borderColor: colour('outside'),
      backgroundColor: '#fff',
      pointRadius: 3,
      borderWidth: 1.2
    };
    const best = {
      label: 'best so far',
      type: 'line',
      stepped: 'before',
      data: pairs(stage.evaluation, stage.best),
      borderColor: colour('calibrated'),
      borderWidth: 2.2,
      pointRadius: 0
    };
    const last = Math.max(2, ...stage.evaluation);
    draw(
        canvas, 'Loss (dots) and best so far (line)', [best, each], {
          x: {
            type: 'linear',
            min: 0,
            max: last + 1,
            grid,
            title: title('evaluations'),
            ticks: {...ticks(v => v), autoSkip: true, includeBounds: false}
          },
          y: logAxis(numbers(stage.loss, stage.best), 'loss', format)
        },
        {}, p => format(p.y) + ' at evaluation ' + p.x);
  }
};

for (const canvas of document.querySelectorAll('canvas[data-chart]')) {
  const kind = canvas.dataset.chart, index = Number(canvas.dataset.index);
  charts[kind](canvas, (kind === 'loss' ? data.stages : data.groups)[index]);
}
})();
