// Numbers and programs as text.
import type { Method } from './library.js';
import type { State } from './state.js';

// Three digits, for people.
export function short(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(3))) : value.toExponential(1).replace('+', '');
}

export const shortPoint = (point: readonly number[]): string => `(${point.map(short).join(', ')})`;

// Every digit: reads back as the same number.
export const full = (numbers: readonly number[]): string => numbers.join(', ');

// The options of sr_layer_make for a method under the state's parameters.
export function layerOptions(method: Method, state: State): Record<string, unknown> {
  const has = (name: string): boolean => method.options.some(option => option.name === name);
  return {
    method: method.name,
    ...(has('lambda') ? { lambda: state.lambda } : {}),
    ...(has('epsilon') ? { epsilon: state.epsilon } : {}),
    ...(method.contraction ? { contraction: state.contraction } : {}),
    ...(method.anchor && state.anchor ? { anchor: state.anchor } : {}),
  };
}

export function pythonProgram(method: Method, state: State, json: string): string {
  const { method: _, lambda, ...options } = layerOptions(method, state);
  const words = Object.entries({ ...(lambda === undefined ? {} : { lambda_: lambda }), ...options })
    .map(([name, value]) => `, ${name}=${JSON.stringify(value)}`).join('');
  return `import softradial, torch

constraint = softradial.parse_set('${json}')
layer = softradial.${method.title}(constraint${words})
u = torch.tensor([[${full(state.u)}]], dtype=torch.float64)
print(layer(u))
`;
}

export function cppProgram(method: Method, state: State, json: string): string {
  const { method: _, anchor, contraction, ...numbers } = layerOptions(method, state);
  const fields = [
    ...(contraction === undefined ? [] : [`.contraction = softradial::Contraction::${String(contraction)}`]),
    ...Object.entries(numbers).map(([name, value]) => `.${name} = ${String(value)}`),
  ].join(', ');
  const point = state.anchor ?? [];
  const options = anchor === undefined ? '' : `, {.anchor_point = Eigen::Vector${point.length}d(${full(point)})}`;
  const dim = state.u.length;
  return `#include <cstdio>
#include <softradial/layer.hpp>
#include <softradial/set_json.hpp>

int main() {
  const softradial::Set set = softradial::parse_set(R"(${json})");
  const auto layer = softradial::make_layer<double>(set, softradial::${method.title}{${fields}}${options});
  const double u[] = {${full(state.u)}};
  double x[${dim}];
  layer->project({u, 1, ${dim}}, {x, 1, ${dim}}, {});
  for (const double each : x) std::printf("%.17g\\n", each);
}
`;
}
