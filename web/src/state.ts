// What the visitor has set, and how it is written behind the # of a link. Points are in the set's own space.
import type { Point } from './library.js';

export type Methods = readonly [string, string, string];

export interface State {
  set: string; // a name of kSets, or kOwn
  corners: readonly Point[]; // of the polygon
  json: string; // of a set of one's own
  u: readonly number[];
  target: readonly number[];
  anchor: readonly number[] | null; // null: the library finds one
  methods: Methods;
  lambda: number;
  epsilon: number;
  contraction: string;
  step: number;
  steps: number;
  center: Point; // what the pictures show: a square of the plane
  size: number;
}

export const kPolygon = 'polygon';
export const kOwn = 'own';
export const kContractions = ['rational', 'exponential', 'hyperbolic'] as const;
export const kMostSteps = 2000;

const kPaper: Methods = ['orthogonal', 'hard_radial', 'soft_radial'];
const kTriangle: readonly Point[] = [[-0.8, -0.8], [1.7, -0.8], [-0.8, 1.7]];

export const kStart: State = {
  set: kPolygon,
  corners: kTriangle,
  json: '',
  u: [-1.7, -1.3],
  target: [0.2, -0.3],
  anchor: null,
  methods: kPaper,
  lambda: 1,
  epsilon: 0.01,
  contraction: 'rational',
  step: 0.5,
  steps: 200,
  center: [0, 0.1],
  size: 4.4,
};

export interface Preset {
  readonly title: string;
  readonly json: string;
  readonly state: Partial<State>;
}

// The sets of the menu. The polygon has corners in the place of a text.
export const kSets: Readonly<Record<string, Preset>> = {
  polygon: { title: 'polygon', json: '', state: {} },
  ball: {
    title: 'ball',
    json: '{"type": "ball", "center": [0, 0], "radius": 1}',
    state: { u: [-1.6, -1.2], target: [0.4, -0.3], center: [0, 0], size: 4.4 },
  },
  ellipse: {
    title: 'ellipse',
    json: '{"type": "ellipsoid", "center": [0, 0], "shape": [[0.5, 0.3], [0.3, 1.5]]}',
    state: { u: [-1.6, -1.4], target: [0.8, 0.2], center: [0, 0], size: 4.8 },
  },
  half_plane: {
    title: 'half-plane',
    json: '{"type": "polyhedron", "A": [[1, 0.5]], "b": [0.6]}',
    state: { u: [1.7, 0.9], target: [-0.4, -0.5], center: [0, 0], size: 4.4 },
  },
  intersection: {
    title: 'intersection',
    json: '{"type": "intersection", "sets": [{"type": "ball", "center": [0, 0], "radius": 1.5}, ' +
      '{"type": "polyhedron", "A": [[0.3, -1], [-1, 0.2], [0.5, 1]], "b": [1.1, 1.2, 1.15]}]}',
    state: { u: [-1.9, -1.6], target: [0.6, 0.1], center: [0, -0.1], size: 4.6 },
  },
  second_order_cone: {
    title: 'second-order cone',
    json: '{"type": "second_order_cone", "M": [[1, 0]], "s": [0], "c": [0, 1], "e": 0.5}',
    state: { u: [-0.6, -1.5], target: [0.5, 0.7], center: [0, 0.3], size: 4.4,
      methods: ['gauge_map', 'hard_radial', 'soft_radial'] },
  },
  three_assets: {
    title: 'three assets, at most 0.6 each',
    json: '{"type": "capped_simplex", "dim": 3, "cap": 0.6}',
    state: { u: [-0.15, 1, 0.15], target: [0.45, 0.25, 0.3], center: [0, 0], size: 1.8, step: 1 },
  },
};

export interface Situation {
  readonly title: string;
  readonly what: string;
  readonly state: Partial<State>;
}

export const kSituations: readonly Situation[] = [
  {
    title: 'Behind a corner',
    what: 'Everything behind the corner has the same nearest point, so the orthogonal projection has no gradient there.',
    state: {},
  },
  {
    title: 'Along an edge',
    what: 'The orthogonal projection moves along the edge and cannot leave it: the direction across it is lost.',
    state: { u: [-0.3, -1.6], target: [0.9, -0.4] },
  },
  {
    title: 'Far away: 1e6',
    what: 'Soft radial keeps its rank, but the gradient shrinks with the distance: from here no method arrives in time.',
    state: { u: [-1e6, -6e5] },
  },
  {
    title: 'Target on the boundary',
    what: 'Soft radial approaches the boundary and never reaches it: x comes closer and closer while u runs off.',
    state: { u: [-0.3, -0.5], target: [0.45, 0.45], step: 1, steps: 1000 },
  },
  {
    title: 'A poor anchor',
    what: 'An anchor close to the boundary squeezes the map on that side: soft radial arrives, after many more steps.',
    state: { anchor: [-0.78, -0.1], steps: 1000 },
  },
  {
    title: 'Three assets',
    what: 'Weights that sum to one, at most 0.6 each, drawn in the plane of the sum.',
    state: { set: 'three_assets' },
  },
];

// The state with a set of the menu: its points and view come with it.
export function withSet(state: State, set: string): State {
  return { ...state, anchor: null, methods: kPaper, ...pick(kStart, ['corners', 'u', 'target', 'center', 'size', 'step', 'steps']),
    ...kSets[set]?.state, set };
}

// The start but for what a situation changes. Lambda, epsilon and contraction stay as they are.
export function withSituation(state: State, situation: Situation): State {
  const parameters = pick(state, ['lambda', 'epsilon', 'contraction']);
  const begun = { ...kStart, ...parameters };
  return { ...(situation.state.set ? withSet(begun, situation.state.set) : begun), ...situation.state };
}

function pick<K extends keyof State>(from: State, names: readonly K[]): Pick<State, K> {
  return Object.fromEntries(names.map(name => [name, from[name]])) as Pick<State, K>;
}

const joined = (numbers: readonly number[]): string => numbers.join(',');

// Numbers are written in their shortest form that reads back as the same double.
export function toHash(state: State): string {
  const words = new URLSearchParams({ set: state.set });
  if (state.set === kPolygon) words.set('corners', state.corners.map(joined).join(';'));
  if (state.set === kOwn) words.set('json', state.json);
  words.set('u', joined(state.u));
  words.set('target', joined(state.target));
  if (state.anchor) words.set('anchor', joined(state.anchor));
  words.set('methods', state.methods.join(','));
  for (const name of ['lambda', 'epsilon', 'contraction', 'step', 'steps', 'size'] as const) words.set(name, String(state[name]));
  words.set('center', joined(state.center));
  return '#' + words.toString().replaceAll('%2C', ',').replaceAll('%3B', ';');
}

function numbers(text: string | null, least: number): number[] | null {
  const found = (text ?? '').split(',').map(word => (word.trim() === '' ? NaN : Number(word)));
  return found.length >= least && found.length <= 3 && found.every(Number.isFinite) ? found : null;
}

const isPoint = (found: number[] | null): found is [number, number] => found?.length === 2;

// What a link does not say, or says wrongly, is as at the start. Names of methods are the library's to judge.
export function fromHash(hash: string): State {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const set = words.get('set') ?? '';
  const state: State = set in kSets || set === kOwn ? withSet(kStart, set) : { ...kStart };
  const corners = (words.get('corners') ?? '').split(';').map(corner => numbers(corner, 2)).filter(isPoint);
  if (corners.length >= 3) state.corners = corners;
  state.json = words.get('json') ?? '';
  state.u = numbers(words.get('u'), 2) ?? state.u;
  state.target = numbers(words.get('target'), 2) ?? state.target;
  state.anchor = numbers(words.get('anchor'), 2) ?? state.anchor;
  const center = numbers(words.get('center'), 2);
  if (isPoint(center)) state.center = center;
  const [first, second, third] = (words.get('methods') ?? '').split(',');
  if (first && second && third) state.methods = [first, second, third];
  const contraction = words.get('contraction');
  state.contraction = kContractions.find(word => word === contraction) ?? state.contraction;
  for (const name of ['lambda', 'epsilon', 'step', 'steps', 'size'] as const) {
    const [value = 0] = numbers(words.get(name), 1) ?? [];
    if (value > 0) state[name] = value;
  }
  state.steps = Math.min(Math.round(state.steps), kMostSteps);
  return state;
}
