# One helper, one call per module.
#
#   sim_module(engine SOURCES max_min flow_run LINKS calipersim::base)
#
# makes the library calipersim_engine (alias calipersim::engine) of max_min.cpp and flow_run.cpp, and of every
# NAME_test.cpp that stands beside them one program engine_test, run by ctest with the label `unit`.

add_library(calipersim_options INTERFACE)
target_compile_options(calipersim_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false alarms in std::string, GCC bug 105651
  $<$<BOOL:${CALIPERSIM_WERROR}>:-Werror>)
if(CALIPERSIM_SANITIZE)
  target_compile_options(calipersim_options INTERFACE -fsanitize=${CALIPERSIM_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(calipersim_options INTERFACE -fsanitize=${CALIPERSIM_SANITIZE})
endif()
target_include_directories(calipersim_options INTERFACE ${CMAKE_SOURCE_DIR})

add_library(calipersim_test_main OBJECT ${CMAKE_SOURCE_DIR}/tests/main.cpp)
target_link_libraries(calipersim_test_main PUBLIC calipersim_options doctest::doctest)

# sim_test(name label source...): one test program; further arguments of the caller link to it by sim_test_link.
function(sim_test name label)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE calipersim_test_main calipersim_options)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${label})
endfunction()

# Readers of files need neither optimisers nor reports: fuzz targets build in half of the time without them. What is
# left out by mistake shows when they are linked.
set(calipersim_not_fuzzed acquisition alpha_beta assessment baseline baseline_file box_minimizer composite_optimizer credibility disjointness
  evaluation_cache evaluator failure_model gaussian_process gp_fit html jittered_cholesky junit label_shuffle
  log_expected_improvement matern_kernel minimax_step nearest_size prediction q_log_expected_improvement qlogei_optimizer
  plan_picture report report_calibration report_chart_data report_controls report_data report_format report_groups report_input
  report_parameters report_provenance report_verdict residual_structure residual_surrogate result_folder scenario_skeleton search_space
  sensitivity signature snapshot sobol sobol_optimizer stage trace training_set validation_json)

function(sim_module name)
  cmake_parse_arguments(M "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  set(target calipersim_${name})
  if(CALIPERSIM_FUZZ)
    list(REMOVE_ITEM M_SOURCES ${calipersim_not_fuzzed})
  endif()
  list(TRANSFORM M_SOURCES APPEND .cpp OUTPUT_VARIABLE sources)
  add_library(${target} STATIC ${sources})
  add_library(calipersim::${name} ALIAS ${target})
  target_link_libraries(${target} PUBLIC calipersim_options ${M_LINKS} PRIVATE ${M_PRIVATE_LINKS})

  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  if(tests)
    sim_test(${name}_test unit ${tests})
    target_link_libraries(${name}_test PRIVATE ${target})
  endif()
endfunction()
