// Reader of measured tables as CSV, the form in which numbers are carried into a project.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "validation/measurement_log.hpp"

namespace caliper {

/// Whether the first line that is neither blank nor a comment is a header line: names between commas.
bool is_measurement_csv(std::string_view content);

/// Comment lines "# key: value" state facts (source, collective, data_type or dtype, nccl_version,
/// nccl_tests_version, gpu_model, ranks, nodes, gpus_per_node, iterations, warmups, aggregated_iterations,
/// note, nccl_tests_header with nccl-tests' line of settings; others are for people; "not stated" is no
/// fact). Then one header line with size_bytes and at least one of oop_time_us and ip_time_us; count, dtype,
/// redop, root, {oop,ip}_{algbw_GBs,busbw_GBs,wrong} may stand beside them. An empty cell says nothing was
/// measured. Bandwidths are held against size / time (1 % and the printed digits): a cell that disagrees is
/// skipped, as are wrong results, N/A, zero sizes and times that are not above zero, and a time with which
/// the file ends without a newline: it may be cut. Problems, all in one go: unknown or repeated columns, rows
/// with another number of fields or text where a number is due, several data types or reductions, facts that
/// contradict each other, no usable time.
/// @param name  as it is to appear in messages
Result<MeasurementFile> read_measurement_csv(std::string_view content, const std::string& name);

}  // namespace caliper
