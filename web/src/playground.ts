// The page: one state, three panels, a chart and the fields. A change of the state asks for a frame; a frame brings the set, the
// maps and the descents up to date as far as its time allows, and draws.
import { Controls, element } from './controls.js';
import { LossChart } from './loss_chart.js';
import { Panel, type Scene } from './panel.js';
import { fromHash, kOwn, kPolygon, kSets, kStart, toHash, type Methods, type State } from './state.js';
import { cppProgram, full, layerOptions, pythonProgram, short } from './text.js';
import { Track } from './track.js';
import type { ConvexSet, Library, Method, Plane, Point } from './library.js';

const kColors = ['--m0', '--m1', '--m2'] as const;
const kDashes = ['8 4', '2 4', ''] as const;
// Of a frame of 16 ms, what computing may take; the rest is for drawing. The first frame shows whole descents.
const kFrameMs = 5;
const kFirstFrameMs = 60;
const kPlayMs = 4000;
// After the last change: the link, the texts, the menus of methods and what a screen reader says.
const kSettledMs = 200;
// A descent has arrived when its loss is this part of what it was.
const kArrived = 1e-3;
// It stands still when its last tenth of the steps moved x by less than this part of the picture.
const kStill = 1e-5;
// Where the boundary of an unbounded set is cut off, in widths of the picture; and when the picture is fitted to a set.
const kFarOutside = 3;
const kFarthest = 1e3;

interface Drawn {
  readonly key: string;
  readonly set: ConvexSet;
  readonly json: string;
  readonly plane: Plane;
}

export class Playground {
  private state: State;
  private drawn: Drawn | null = null;
  private refused = { key: '', problem: '' }; // a set that is none, and the library's line about it
  private boundary: { key: string; points: Float64Array } = { key: '', points: new Float64Array(0) };
  private reasonsKey = '';
  private moving = false;
  private fitting = false; // the next set brings its own points and view
  private shown = Infinity; // the step that is shown; the last one unless the visitor has chosen
  private playing = 0; // since when; 0: not
  private first = true;
  private framed = false;
  private settles = 0;
  private readonly methods: ReadonlyMap<string, Method>;
  private readonly tracks: readonly Track[];
  private readonly panels: readonly Panel[];
  private readonly chart = new LossChart(element('loss'), () => this.ask());
  private readonly controls: Controls;
  readonly frameTimes: number[] = []; // ms, for who measures

  constructor(private readonly library: Library) {
    this.methods = new Map(library.methods.map(method => [method.name, method]));
    this.state = this.withKnownMethods(fromHash(location.hash));
    this.tracks = kColors.map(() => new Track(library));
    this.panels = kColors.map((_, index) => new Panel(index, library.methods, {
      choose: method => this.change({ methods: this.state.methods.map((old, i) => (i === index ? method : old)) as unknown as Methods }),
      drag: (handle, at, moving) => this.drag(handle, at, moving),
      remove: handle => this.removeCorner(handle),
      resized: () => this.ask(),
    }));
    element('panels').append(...this.panels.map(panel => panel.figure));
    this.controls = new Controls({
      change: patch => this.change(patch),
      ownSet: json => {
        this.fitting = true;
        this.change({ set: kOwn, json, anchor: null });
      },
      state: () => this.state,
      place: (name, numbers) => this.place(name, numbers),
    });
    if (location.hash.length < 2) this.controls.pressFirst();
    element('version').textContent = `softradial ${library.version}.`;
    this.wireTabs();
    this.wirePlayer();
    this.wireZoom();
    this.wireCode();
    window.addEventListener('hashchange', () => { if (location.hash !== toHash(this.state)) this.change(fromHash(location.hash)); });
    window.addEventListener('resize', () => this.ask());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      for (const panel of this.panels) panel.recolor();
      this.ask();
    });
    this.frame();
    this.settleLater();
  }

  // A link may name methods that there are not.
  private withKnownMethods(state: State): State {
    return { ...state, methods: state.methods.map((name, i) => (this.methods.has(name) ? name : kStart.methods[i]!)) as unknown as Methods };
  }

  private method(index: number): Method { return this.methods.get(this.state.methods[index]!)!; }

  // Changes.

  private change(patch: Partial<State>, moving = false): void {
    this.state = this.withKnownMethods({ ...this.state, ...patch });
    this.moving = moving;
    this.playing = 0;
    this.shown = Infinity;
    this.controls.press(null);
    this.ask();
    this.settleLater();
  }

  private ask(): void {
    if (this.framed) return;
    this.framed = true;
    requestAnimationFrame(() => {
      this.framed = false;
      this.frame();
    });
  }

  private settleLater(): void {
    clearTimeout(this.settles);
    this.settles = window.setTimeout(() => this.settled(), kSettledMs);
  }

  private drag(handle: string, at: Point, moving: boolean): void {
    if (!this.drawn) return;
    const corner = cornerOf(handle);
    if (corner >= 0) {
      this.change({ corners: this.state.corners.map((old, i) => (i === corner ? at : old)) }, moving);
    } else {
      this.change({ [handle]: this.drawn.plane.lift(at) }, moving);
    }
  }

  private removeCorner(handle: string): void {
    const corner = cornerOf(handle);
    if (corner < 0 || this.state.corners.length <= 3) return;
    this.change({ corners: this.state.corners.filter((_, i) => i !== corner) });
  }

  // What is typed comes to lie in the plane that is drawn.
  private place(name: 'u' | 'target' | 'anchor', numbers: readonly number[] | null): void {
    const plane = this.drawn?.plane;
    if (plane) this.change({ [name]: numbers && plane.lift(plane.flatten(numbers)) });
  }

  // Frames.

  private frame(): void {
    const begun = performance.now();
    this.updateSet();
    const { drawn, state } = this;
    this.controls.show(state, drawn?.json ?? '', state.anchor ?? drawn?.plane.anchor ?? [0, 0], this.refused.problem);
    if (!drawn) return;
    const [left, bottom] = state.center.map(middle => middle - state.size / 2) as [number, number];
    const view = [left, bottom, left + state.size, bottom + state.size] as const;
    const start = drawn.plane.flatten(state.u);
    const target = drawn.plane.flatten(state.target);
    this.tracks.forEach((track, i) => {
      const options = layerOptions(this.method(i), state);
      track.want({ mapKey: drawn.key + JSON.stringify(options), options, plane: drawn.plane, start, target, step: state.step,
        steps: state.steps, window: view, moving: this.moving });
    });
    this.compute(begun + (this.first ? kFirstFrameMs : kFrameMs));
    this.advancePlay(begun);
    this.draw(drawn, {
      boundary: this.boundaryPoints(drawn),
      handles: this.handles(drawn, start, target),
      window: view,
      shown: Math.min(this.shown, state.steps),
    });
    this.first = false;
    this.frameTimes.push(performance.now() - begun);
    if (this.playing || this.tracks.some(track => !track.done)) this.ask();
  }

  // Descents before grids. Each track gets an equal share of the time; what the quick ones leave goes to the slow ones, which
  // come last.
  private compute(deadline: number): void {
    const ordered = [...this.tracks].sort((a, b) => a.slowness - b.slowness);
    const share = (i: number): number => {
      const now = performance.now();
      return now + Math.max(0, deadline - now) / (ordered.length - i);
    };
    ordered.forEach((track, i) => track.advancePath(share(i)));
    ordered.forEach((track, i) => track.advanceGrid(share(i)));
  }

  private updateSet(): void {
    const { state } = this;
    const text = state.set === kOwn ? state.json : kSets[state.set]!.json;
    const key = state.set === kPolygon ? `polygon ${state.corners.join(';')}` : text;
    if (key === this.drawn?.key) this.refused = { key: '', problem: '' };
    if (key === this.drawn?.key || key === this.refused.key) return;
    let set: ConvexSet | null = null;
    try {
      set = state.set === kPolygon ? this.library.polygon(state.corners) : this.library.parse(text);
      const plane = set.plane();
      this.drawn?.set.free();
      this.drawn?.plane.free();
      this.drawn = { key, set, json: set.json(), plane };
      this.refused = { key: '', problem: '' };
      const fits = [state.u, state.target, state.anchor ?? state.u].every(point => point.length === plane.dim);
      if (this.fitting || !fits) this.state = { ...state, ...fitted(plane), ...pointsOf(plane) };
      this.fitting = false;
    } catch (error) {
      set?.free();
      this.refused = { key, problem: (error as Error).message };
    }
  }

  private boundaryPoints({ key, plane }: Drawn): Float64Array {
    const wanted = `${key} ${this.state.size} ${this.state.center}`;
    if (wanted !== this.boundary.key) {
      const [x, y] = plane.flatten(plane.anchor);
      const away = Math.hypot(x - this.state.center[0], y - this.state.center[1]);
      this.boundary = { key: wanted, points: plane.boundary(kFarOutside * this.state.size + away) };
    }
    return this.boundary.points;
  }

  private handles({ plane }: Drawn, u: Point, target: Point): Scene['handles'] {
    const corners = this.state.set === kPolygon ? this.state.corners : [];
    return [
      ...corners.map((at, i) => ({ name: `corner ${i + 1}`, kind: 'corner', at })),
      { name: 'anchor', kind: 'anchor', at: plane.flatten(this.state.anchor ?? plane.anchor) },
      { name: 'target', kind: 'target', at: target },
      { name: 'u', kind: 'u', at: u },
    ];
  }

  private draw(drawn: Drawn, scene: Scene): void {
    const { state } = this;
    this.panels.forEach((panel, i) => panel.draw(state.methods[i]!, this.tracks[i]!, scene, this.verdict(i)));
    this.chart.draw(this.tracks.map((track, i) => ({ name: spoken(state.methods[i]!), track, color: kColors[i]!, dash: kDashes[i]! })),
      state.steps, scene.shown);
    const range = element<HTMLInputElement>('shown');
    range.max = String(state.steps);
    range.value = String(scene.shown);
    element('shown-text').textContent = `${scene.shown} of ${state.steps}`;
    element('play').textContent = this.playing ? 'Stop' : 'Play';
    this.showNumbers(drawn);
  }

  // What the descent has come to, in a word and in numbers.
  private verdict(index: number): readonly [string, string] {
    const track = this.tracks[index]!;
    if (!track.ready) return ['', ''];
    if (!track.finished) return ['computing', ''];
    const last = track.steps - 1;
    const [begin, late, end] = [track.at(0), track.at(Math.floor(0.9 * last)), track.at(last)];
    if (!Number.isFinite(end.loss)) return ['no number comes out', ''];
    const still = (a: Point, b: Point): boolean => Math.hypot(a[0] - b[0], a[1] - b[1]) < kStill * this.state.size;
    const word = end.loss <= kArrived * begin.loss ? 'arrives'
      : !still(late.x, end.x) ? 'on its way' : still(begin.x, end.x) ? 'stalls' : 'slides, then stops';
    const look = track.look(this.drawn!.plane.lift(end.u));
    return [word, `loss ${short(end.loss)}, det J ${short(look?.det ?? NaN)}, |u| ${short(Math.hypot(...end.u))}`];
  }

  private showNumbers({ plane }: Drawn): void {
    const rows = this.tracks.map((track, i) => {
      const look = track.steps > 0 ? track.look(this.state.u) : null;
      if (!look) return [spoken(this.state.methods[i]!), '', '', '', '', '', '', ''];
      const end = track.at(track.steps - 1);
      return [spoken(this.state.methods[i]!), full(look.x), full(look.singular), String(look.det), String(look.violation),
        short(track.at(0).loss), short(end.loss), full(plane.lift(end.x))];
    });
    const body = element('numbers').querySelector('tbody')!;
    while (body.rows.length < rows.length) {
      const row = body.insertRow();
      row.append(Object.assign(document.createElement('th'), { scope: 'row' }));
      for (let i = 1; i < rows[0]!.length; ++i) row.insertCell();
    }
    rows.forEach((texts, i) => texts.forEach((text, k) => {
      const cell = body.rows[i]!.cells[k]!;
      if (cell.textContent !== text) cell.textContent = text;
    }));
  }

  // What waits until the visitor rests.
  private settled(): void {
    const { state } = this;
    this.moving = false;
    this.ask();
    history.replaceState(null, '', toHash(state));
    this.showCode();
    this.showReasons();
    const names = state.methods.map(spoken);
    element('legend').replaceChildren(...names.map((name, i) => {
      const entry = document.createElement('span');
      const line = document.createElement('i');
      line.style.borderTopColor = `var(${kColors[i]!})`;
      line.style.borderTopStyle = (['dashed', 'dotted', 'solid'] as const)[i]!;
      entry.append(line, name);
      return entry;
    }));
    element('tabs').querySelectorAll('button').forEach((tab, i) => { tab.textContent = names[i]!; });
    element<HTMLSelectElement>('code-of').querySelectorAll('option').forEach((option, i) => { option.textContent = names[i]!; });
    element('say').textContent = names.map((name, i) => `${name}: ${this.tracks[i]!.problem || this.verdict(i).join(', ')}`).join('. ');
  }

  // Which methods take the set: each of them is asked for a layer, those that train with as little training as there is.
  private showReasons(): void {
    const { drawn } = this;
    if (!drawn || this.reasonsKey === drawn.key) return;
    this.reasonsKey = drawn.key;
    const reasons = new Map<string, string>();
    for (const { name, options } of this.library.methods) {
      try {
        const trains = options.some(option => option.name === 'training_steps');
        drawn.plane.map({ method: name, ...(trains ? { training_steps: 1, batch: 1 } : {}) }).free();
      } catch (error) {
        reasons.set(name, (error as Error).message);
      }
    }
    for (const panel of this.panels) panel.setReasons(reasons);
  }

  // The parts around the panels.

  private wireTabs(): void {
    const show = (active: number): void => {
      this.panels.forEach((panel, i) => {
        panel.figure.classList.toggle('active', i === active);
        panel.setKeyboard(i === active);
        tabs[i]!.setAttribute('aria-pressed', String(i === active));
      });
      this.ask();
    };
    const tabs = this.panels.map((_, i) => {
      const tab = document.createElement('button');
      tab.type = 'button';
      tab.textContent = spoken(this.state.methods[i]!);
      tab.style.borderColor = `var(${kColors[i]!})`;
      tab.addEventListener('click', () => show(i));
      return tab;
    });
    element('tabs').append(...tabs);
    show(0);
  }

  private wirePlayer(): void {
    element('play').addEventListener('click', () => {
      this.playing = this.playing ? 0 : performance.now();
      this.shown = this.playing ? 0 : Infinity;
      this.ask();
    });
    const range = element<HTMLInputElement>('shown');
    range.addEventListener('input', () => {
      this.playing = 0;
      this.shown = Number(range.value);
      this.ask();
    });
  }

  private advancePlay(now: number): void {
    if (!this.playing) return;
    const share = (now - this.playing) / kPlayMs;
    this.shown = Math.round(Math.min(Math.max(share, 0), 1) * this.state.steps);
    if (share >= 1) this.playing = 0;
  }

  private wireZoom(): void {
    element('closer').addEventListener('click', () => this.change({ size: this.state.size / 1.5 }));
    element('wider').addEventListener('click', () => this.change({ size: this.state.size * 1.5 }));
    element('fit').addEventListener('click', () => { if (this.drawn) this.change(fitted(this.drawn.plane)); });
  }

  private wireCode(): void {
    const code = element('code');
    const copied = element('copied');
    const copy = async (text: string): Promise<void> => {
      try {
        await navigator.clipboard.writeText(text);
        copied.textContent = 'copied';
      } catch {
        getSelection()?.selectAllChildren(code);
        copied.textContent = 'your browser does not let the page copy: the text is selected';
      }
      setTimeout(() => { copied.textContent = ''; }, 4000);
    };
    element('copy-link').addEventListener('click', () => {
      const link = location.href.split('#')[0]! + toHash(this.state);
      void copy(link);
    });
    element('copy-code').addEventListener('click', () => void copy(code.textContent ?? ''));
    element('code-of').append(...this.state.methods.map((name, i) => new Option(spoken(name), String(i), i === 2, i === 2)));
    for (const id of ['language', 'code-of']) element(id).addEventListener('change', () => this.showCode());
  }

  private showCode(): void {
    const { drawn, state } = this;
    if (!drawn) return;
    const method = this.method(Number(element<HTMLSelectElement>('code-of').value));
    const language = element<HTMLSelectElement>('language').value;
    let text = drawn.json;
    if (language === 'Python') {
      text = pythonProgram(method, state, drawn.json);
    } else if (language === 'C++') {
      text = cppProgram(method, state, drawn.json);
    } else if (state.anchor) {
      const anchored = drawn.set.withAnchor(state.anchor);
      text = anchored.json();
      anchored.free();
    }
    element('code').textContent = text;
  }
}

const spoken = (name: string): string => name.replaceAll('_', ' ');

const cornerOf = (handle: string): number => (handle.startsWith('corner ') ? Number(handle.slice(7)) - 1 : -1);

// A view of a whole set with as much room around it; of an unbounded one, of its anchor.
function fitted(plane: Plane): Pick<State, 'center' | 'size'> {
  const points = plane.boundary(kFarthest);
  const anchor = plane.flatten(plane.anchor);
  const [low, high]: [number[], number[]] = [[Infinity, Infinity], [-Infinity, -Infinity]];
  for (let i = 0; i < points.length; ++i) {
    low[i % 2] = Math.min(low[i % 2]!, points[i]!);
    high[i % 2] = Math.max(high[i % 2]!, points[i]!);
  }
  const size = Math.max(high[0]! - low[0]!, high[1]! - low[1]!);
  if (!(size < kFarthest)) return { center: anchor, size: 4.4 };
  return { center: [(low[0]! + high[0]!) / 2, (low[1]! + high[1]!) / 2], size: 2 * size };
}

// A start outside and a target inside of a set that has none of its own.
function pointsOf(plane: Plane): Pick<State, 'u' | 'target' | 'anchor'> {
  const { center, size } = fitted(plane);
  return { u: plane.lift([center[0] - 0.4 * size, center[1] - 0.33 * size]), target: plane.anchor, anchor: null };
}
