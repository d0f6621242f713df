// The library as WebAssembly: memory, handles and errors of its C interface, and nothing that is computed. The functions are
// those of softradial.h (sr_) and of wasm/plane_exports.cpp (sp_).

export type Point = readonly [number, number];

export interface Method {
  readonly name: string;
  readonly title: string;
  readonly anchor: boolean;
  readonly contraction?: string;
  readonly options: readonly { readonly name: string; readonly otherwise: number }[];
}

// Everything about one u: x in the set's own space and in the plane, the Jacobian there, and by how much x violates the set.
export interface Look {
  readonly x: readonly number[];
  readonly flat: Point;
  readonly singular: readonly [number, number];
  readonly det: number;
  readonly violation: number;
}

type Call = (...args: number[]) => number;
type Functions = Record<
  | 'malloc' | 'free' | '_initialize' | 'sr_error_text' | 'sr_version' | 'sr_methods' | 'sr_set_parse' | 'sr_set_free'
  | 'sr_set_with_anchor' | 'sr_set_to_json' | 'sp_polygon' | 'sp_plane_make' | 'sp_plane_free' | 'sp_plane_dim'
  | 'sp_plane_anchor' | 'sp_plane_lift' | 'sp_plane_flatten' | 'sp_plane_boundary' | 'sp_map_make' | 'sp_map_free'
  | 'sp_grid' | 'sp_project' | 'sp_descend' | 'sp_look',
  Call
>;

// Numbers of a descent for each step: u, x and the loss.
export const kStepNumbers = 5;

export class Library {
  readonly methods: readonly Method[];
  readonly version: string;
  private readonly memory: WebAssembly.Memory;
  readonly call: Functions;

  private constructor(instance: WebAssembly.Instance) {
    const exported = instance.exports as unknown as Functions & { memory: WebAssembly.Memory };
    this.memory = exported.memory;
    this.call = exported;
    this.call._initialize();
    this.version = this.terminated(this.call.sr_version());
    this.methods = JSON.parse(this.textOf((buffer, capacity, length) => this.call.sr_methods(buffer, capacity, length)));
  }

  // The library asks its host for nothing but a word when its memory has grown, which nobody here needs: views of the memory are
  // made anew for every call.
  static async load(bytes: BufferSource): Promise<Library> {
    const module = await WebAssembly.compile(bytes);
    const imports: Record<string, Record<string, Call>> = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = () => 0;
    }
    return new Library(await WebAssembly.instantiate(module, imports));
  }

  parse(json: string): ConvexSet {
    return this.withText(json, (text, length) => new ConvexSet(this, this.made(out => this.call.sr_set_parse(text, length, out))));
  }

  polygon(corners: readonly Point[]): ConvexSet {
    return this.withNumbers(corners.flat(), at =>
      new ConvexSet(this, this.made(out => this.call.sp_polygon(at, corners.length, out))));
  }

  // Points of the lines of a grid, `lines` upright and as many level ones, each of `samples` points.
  grid(window: readonly [number, number, number, number], lines: number, samples: number): Float64Array {
    return this.withNumbers(window, at =>
      this.numbersOf(4 * lines * samples, (out, length) => this.call.sp_grid(at, lines, samples, out, length)));
  }

  // Throws what the library says about a call that failed.
  check(status: number): void {
    if (status !== 0) throw new Error(this.terminated(this.call.sr_error_text(0)));
  }

  // The handle that a call writes to `out`.
  made(call: (out: number) => number): number {
    return this.withBytes(4, out => {
      this.check(call(out));
      return new DataView(this.memory.buffer).getUint32(out, true);
    });
  }

  // `count` numbers that a call writes.
  numbersOf(count: number, call: (out: number, length: number) => number): Float64Array {
    return this.withBytes(8 * count, out => {
      this.check(call(out, count));
      return new Float64Array(this.memory.buffer, out, count).slice();
    });
  }

  withNumbers<T>(numbers: ArrayLike<number>, body: (at: number) => T): T {
    return this.withBytes(8 * numbers.length, at => {
      new Float64Array(this.memory.buffer, at, numbers.length).set(numbers);
      return body(at);
    });
  }

  withText<T>(text: string, body: (at: number, length: number) => T): T {
    const bytes = new TextEncoder().encode(text);
    return this.withBytes(bytes.length, at => {
      new Uint8Array(this.memory.buffer, at, bytes.length).set(bytes);
      return body(at, bytes.length);
    });
  }

  // A text that a call writes into a buffer, after it has said how long it is.
  textOf(call: (buffer: number, capacity: number, length: number) => number): string {
    return this.withBytes(4, length => {
      this.check(call(0, 0, length));
      const size = new DataView(this.memory.buffer).getUint32(length, true);
      return this.withBytes(size, buffer => {
        this.check(call(buffer, size, length));
        return new TextDecoder().decode(new Uint8Array(this.memory.buffer, buffer, size));
      });
    });
  }

  private withBytes<T>(size: number, body: (at: number) => T): T {
    const at = this.call.malloc(Math.max(size, 8));
    try {
      return body(at);
    } finally {
      this.call.free(at);
    }
  }

  private terminated(at: number): string {
    const bytes = new Uint8Array(this.memory.buffer, at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }
}

export class ConvexSet {
  constructor(private readonly library: Library, private readonly handle: number) {}

  json(): string {
    return this.library.textOf((buffer, capacity, length) =>
      this.library.call.sr_set_to_json(this.handle, buffer, capacity, length));
  }

  withAnchor(anchor: readonly number[]): ConvexSet {
    return this.library.withNumbers(anchor, at => new ConvexSet(this.library, this.library.made(out =>
      this.library.call.sr_set_with_anchor(this.handle, at, anchor.length, out))));
  }

  plane(): Plane {
    return new Plane(this.library, this.library.made(out => this.library.call.sp_plane_make(this.handle, out)));
  }

  free(): void {
    this.library.call.sr_set_free(this.handle);
  }
}

// The plane in which a set is drawn.
export class Plane {
  readonly dim: number;
  readonly anchor: readonly number[];

  constructor(private readonly library: Library, private readonly handle: number) {
    this.dim = library.call.sp_plane_dim(handle);
    this.anchor = [...library.numbersOf(this.dim, (out, length) => library.call.sp_plane_anchor(handle, out, length))];
  }

  lift(point: Point): number[] {
    return this.library.withNumbers(point, at => [...this.library.numbersOf(this.dim, (out, length) =>
      this.library.call.sp_plane_lift(this.handle, at, out, length))]);
  }

  flatten(point: readonly number[]): Point {
    const [x = 0, y = 0] = this.library.withNumbers(point, at => this.library.numbersOf(2, out =>
      this.library.call.sp_plane_flatten(this.handle, at, point.length, out)));
    return [x, y];
  }

  // Pairs of coordinates.
  boundary(radius: number): Float64Array {
    const capacity = 8192;
    let count = 0;
    const points = this.library.numbersOf(2 * capacity, out => {
      count = this.library.made(place => this.library.call.sp_plane_boundary(this.handle, radius, out, capacity, place));
      return 0;
    });
    return points.subarray(0, 2 * count);
  }

  // The options of sr_layer_make.
  map(options: object): PlaneMap {
    return this.library.withText(JSON.stringify(options), (text, length) => new PlaneMap(this.library, this.dim,
      this.library.made(out => this.library.call.sp_map_make(this.handle, text, length, out))));
  }

  free(): void {
    this.library.call.sp_plane_free(this.handle);
  }
}

// A layer on points of the plane.
export class PlaneMap {
  constructor(private readonly library: Library, private readonly dim: number, private readonly handle: number) {}

  project(u: Float64Array): Float64Array {
    return this.library.withNumbers(u, at => this.library.numbersOf(u.length, out =>
      this.library.call.sp_project(this.handle, at, u.length / 2, out)));
  }

  // kStepNumbers for the start and for each step.
  descend(start: Point, target: Point, step: number, steps: number): Float64Array {
    return this.library.withNumbers([...start, ...target], at => this.library.numbersOf(kStepNumbers * (steps + 1), (out, length) =>
      this.library.call.sp_descend(this.handle, at, step, steps, out, length)));
  }

  look(u: readonly number[]): Look {
    const found = [...this.library.withNumbers(u, at => this.library.numbersOf(this.dim + 6, (out, length) =>
      this.library.call.sp_look(this.handle, at, u.length, out, length)))];
    const x = found.slice(0, this.dim);
    const [x0 = 0, x1 = 0, larger = 0, smaller = 0, det = 0, violation = 0] = found.slice(this.dim);
    return { x, flat: [x0, x1], singular: [larger, smaller], det, violation };
  }

  free(): void {
    this.library.call.sp_map_free(this.handle);
  }
}
