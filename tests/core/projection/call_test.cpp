#include <gtest/gtest.h>

#include <Eigen/Core>
#include <span>
#include <vector>

#include "softradial/softradial.hpp"

// x = layer(u) for whatever holds points: the numbers of the row interface, bit for bit.
namespace softradial {
namespace {

using Batch = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

const Projection<double>& layer() {
  static const Projection<double> kLayer(CappedSimplex(4, 0.4));
  return kLayer;
}

const Batch& inputs() {
  static const Batch kInputs =
      (Batch(3, 4) << 0.1, 0.2, 0.0, -0.1, 3.0, -1.0, 0.5, 0.5, 1e6, -1e6, 2e6, 0.0).finished();
  return kInputs;
}

Batch expected() {
  Batch x(3, 4);
  auto workspace = layer().make_workspace();
  layer().project({inputs().data(), 3, 4}, {x.data(), 3, 4}, workspace);
  return x;
}

TEST(ProjectionCall, TakesBatchesOfEitherStorageOrderAndExpressions) {
  const Batch x = layer()(inputs());
  EXPECT_EQ(x, expected());
  const Eigen::MatrixXd by_columns = inputs();
  EXPECT_EQ(layer()(by_columns), expected());
  EXPECT_EQ(layer()(0.5 * (inputs() + inputs())), expected());
  EXPECT_EQ(layer()(inputs().topRows(2)), expected().topRows(2));
  EXPECT_EQ(layer()(Batch(0, 4)).rows(), 0);
}

TEST(ProjectionCall, TakesPointsAndKeepsTheirKind) {
  const Eigen::VectorXd column = inputs().row(1).transpose();
  const Eigen::VectorXd x = layer()(column);
  EXPECT_EQ(x, expected().row(1).transpose());
  const Eigen::RowVectorXd row = layer()(inputs().row(1));
  EXPECT_EQ(row, expected().row(1));
  const Eigen::Vector4d fixed = layer()(Eigen::Vector4d(column));
  EXPECT_EQ(fixed, x);
  const std::vector<double> numbers(column.begin(), column.end());
  EXPECT_EQ(layer()(numbers), std::vector<double>(x.begin(), x.end()));
  EXPECT_EQ(layer()(std::span<const double>(numbers)), layer()(numbers));
}

TEST(ProjectionCall, TakesRows) {
  const std::vector<double> x = layer()({inputs().data(), 3, 4});
  EXPECT_EQ(Eigen::Map<const Batch>(x.data(), 3, 4), expected());
  // Every second row of a batch.
  const std::vector<double> some = layer()({inputs().data(), 2, 4, 8});
  EXPECT_EQ(Eigen::Map<const Batch>(some.data(), 2, 4).row(1), expected().row(2));
}

TEST(ProjectionCall, LeavesItsArgumentAlone) {
  const Batch before = inputs();
  EXPECT_NE(Batch(layer()(inputs())), before);
  EXPECT_EQ(inputs(), before);
}

TEST(ProjectionCall, NamesWrongShapes) {
  const auto message = [](const auto& u) {
    try {
      static_cast<void>(layer()(u));
    } catch (const ShapeError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(Eigen::VectorXd::Zero(3).eval()), "u has rows of 3 numbers, the set has dimension 4");
  EXPECT_EQ(message(Batch(Batch::Zero(4, 5))), "u has rows of 5 numbers, the set has dimension 4");
  EXPECT_EQ(message(std::vector<double>(8)), "u has rows of 8 numbers, the set has dimension 4");
}

TEST(ProjectionCall, WorksInSinglePrecision) {
  const Projection<float> single(Ball(Eigen::Vector2d(0, 0), 1));
  const Eigen::Vector2f x = single(Eigen::Vector2f(3, 4));
  EXPECT_LT(x.norm(), 1);
}

}  // namespace
}  // namespace softradial
