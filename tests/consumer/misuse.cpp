// Programs that must not compile, one for each value of MISUSE but 0, which is the correct one beside them.
#include <softradial/softradial.hpp>

void use(const softradial::Projection<float>& layer, softradial::Workspace<float>& workspace,
         softradial::Rows<const float> u, softradial::Rows<float> x, softradial::Rows<const double> doubles) {
#if MISUSE == 0
  layer.project(u, x, workspace);
  layer.project(x, x, workspace);
  static_cast<void>(doubles);
#elif MISUSE == 1  // a result written into rows that are read-only
  layer.project(u, u, workspace);
#elif MISUSE == 2  // rows of another precision than the layer's
  layer.project(doubles, x, workspace);
#elif MISUSE == 3  // no workspace: scratch space is the caller's
  layer.project(u, x);
#elif MISUSE == 4  // a number where a set is asked for
  softradial::Projection<float> other(5);
#elif MISUSE == 5  // one workspace in two hands
  softradial::Workspace<float> copy(workspace);
#endif
}
