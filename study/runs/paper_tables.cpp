#include "runs/paper_tables.hpp"

namespace softradial::study {
namespace {

constexpr PaperPortfolioRow kNet[] = {
    {"global", 1, "softmax", 0.21, 0.29, 0.31, 0.04},         {"global", 1, "orthogonal", 0.27, 0.20, 0.20, 0.03},
    {"global", 1, "soft_radial", 0.68, 0.09, 0.05, 0.03},     {"global", 0.15, "orthogonal", 0.49, 0.18, 0.17, 0.02},
    {"global", 0.15, "dc3", 0.38, 0.15, 0.18, 0.02},          {"global", 0.15, "hardnet", 0.44, 0.13, 0.16, 0.02},
    {"global", 0.15, "soft_radial", 0.68, 0.05, 0.05, 0.01},  {"liquid", 1, "softmax", 0.63, 0.19, 0.22, 0.05},
    {"liquid", 1, "orthogonal", 0.25, 0.18, 0.48, 0.02},      {"liquid", 1, "soft_radial", 0.90, 0.03, 0.06, 0.00},
    {"liquid", 0.05, "orthogonal", 0.64, 0.09, 0.22, 0.01},   {"liquid", 0.05, "dc3", 0.63, 0.08, 0.23, 0.01},
    {"liquid", 0.05, "hardnet", 0.62, 0.11, 0.19, 0.01},      {"liquid", 0.05, "soft_radial", 0.90, 0.02, 0.05, 0.00},
    {"sectors", 1, "softmax", 0.43, 0.24, 0.25, 0.04},        {"sectors", 1, "orthogonal", 0.68, 0.21, 0.21, 0.03},
    {"sectors", 1, "soft_radial", 0.76, 0.04, 0.09, 0.03},    {"sectors", 0.5, "orthogonal", 0.73, 0.23, 0.18, 0.02},
    {"sectors", 0.5, "dc3", 0.72, 0.08, 0.17, 0.02},          {"sectors", 0.5, "hardnet", 0.66, 0.08, 0.19, 0.03},
    {"sectors", 0.5, "soft_radial", 0.77, 0.07, 0.12, 0.02},  {"sectors", 0.15, "orthogonal", 0.80, 0.06, 0.09, 0.01},
    {"sectors", 0.15, "dc3", 0.78, 0.06, 0.07, 0.00},         {"sectors", 0.15, "hardnet", 0.84, 0.02, 0.06, 0.01},
    {"sectors", 0.15, "soft_radial", 0.87, 0.04, 0.02, 0.00},
};

constexpr PaperPortfolioRow kGross[] = {
    {"global", 1, "softmax", 0.03, 0.29, 0.27, 0.04},         {"global", 1, "orthogonal", 0.15, 0.32, 0.23, 0.05},
    {"global", 1, "soft_radial", 0.55, 0.04, 0.06, 0.02},     {"global", 0.15, "orthogonal", 0.33, 0.13, 0.15, 0.01},
    {"global", 0.15, "dc3", 0.34, 0.14, 0.19, 0.01},          {"global", 0.15, "hardnet", 0.43, 0.13, 0.17, 0.02},
    {"global", 0.15, "soft_radial", 0.60, 0.09, 0.06, 0.02},  {"liquid", 1, "softmax", 0.61, 0.32, 0.22, 0.05},
    {"liquid", 1, "orthogonal", 0.44, 0.25, 0.44, 0.02},      {"liquid", 1, "soft_radial", 0.87, 0.03, 0.09, 0.01},
    {"liquid", 0.05, "orthogonal", 0.56, 0.12, 0.20, 0.01},   {"liquid", 0.05, "dc3", 0.49, 0.18, 0.23, 0.02},
    {"liquid", 0.05, "hardnet", 0.59, 0.19, 0.20, 0.01},      {"liquid", 0.05, "soft_radial", 0.87, 0.02, 0.07, 0.01},
    {"sectors", 1, "softmax", 0.39, 0.16, 0.26, 0.04},        {"sectors", 1, "orthogonal", 0.56, 0.14, 0.23, 0.02},
    {"sectors", 1, "soft_radial", 0.74, 0.04, 0.11, 0.02},    {"sectors", 0.5, "orthogonal", 0.58, 0.08, 0.21, 0.03},
    {"sectors", 0.5, "dc3", 0.55, 0.07, 0.20, 0.02},          {"sectors", 0.5, "hardnet", 0.63, 0.07, 0.20, 0.03},
    {"sectors", 0.5, "soft_radial", 0.75, 0.05, 0.13, 0.02},  {"sectors", 0.15, "orthogonal", 0.73, 0.10, 0.09, 0.00},
    {"sectors", 0.15, "dc3", 0.72, 0.02, 0.07, 0.00},         {"sectors", 0.15, "hardnet", 0.82, 0.05, 0.07, 0.01},
    {"sectors", 0.15, "soft_radial", 0.82, 0.03, 0.03, 0.01},
};

constexpr PaperDispatchRow kDispatch[] = {
    {1, "softmax", 0.84, 0},   {0.1, "orthogonal", 0.7, 0.01}, {0.1, "dc3", 0.84, 0},
    {0.1, "hardnet", 0.84, 0}, {0.1, "soft_radial", 0.84, 0},  {0.02, "orthogonal", 0.64, 0},
    {0.02, "dc3", 0.69, 0},    {0.02, "hardnet", 0.69, 0},     {0.02, "soft_radial", 0.69, 0},
};

constexpr PaperSummaryRow kSummary[] = {
    {"global", "train", 7.30, 11.84, 17.47, -19.37, 0.35, -0.037, {}},
    {"global", "validation", 7.46, 14.22, 15.68, -13.87, 0.32, -0.020, 0.607},
    {"global", "test", 9.30, 13.60, 22.34, -28.46, 0.46, -0.045, 0.011},
    {"liquid", "train", 19.12, 14.72, 24.98, -16.11, 0.38, -0.021, {}},
    {"liquid", "validation", 19.71, 30.76, 25.40, -18.11, 0.39, -0.029, 0.319},
    {"liquid", "test", 16.95, 16.93, 31.44, -30.56, 0.40, -0.088, 0.019},
    {"sectors", "train", 13.46, 20.17, 17.05, -18.61, 0.70, -0.037, {}},
    {"sectors", "validation", 9.75, 26.72, 17.15, -18.47, 0.58, -0.003, 0.826},
    {"sectors", "test", 13.99, 22.01, 24.57, -36.91, 0.65, -0.107, 0.007},
};

}  // namespace

std::span<const PaperPortfolioRow> paper_net_table() noexcept { return kNet; }
std::span<const PaperPortfolioRow> paper_gross_table() noexcept { return kGross; }
std::span<const PaperDispatchRow> paper_dispatch_table() noexcept { return kDispatch; }
std::span<const PaperSummaryRow> paper_summary_table() noexcept { return kSummary; }

}  // namespace softradial::study
