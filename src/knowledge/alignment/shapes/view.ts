import { DataFactory, type Quad, type Quad_Object, type Quad_Subject, type Term } from 'n3';
import type { KGStatement } from '../../../core/model/knowledge.ts';
import type { PatchedOutcome } from '../outcome.ts';
import type { OutcomePattern } from '../rule.ts';
import { idOf, patternOf, rdfType, resourceTerm, subClassOf, termKey, tripleOf } from './terms.ts';

/** A class as one of those below another: nobody has to look further down. */
const below = new WeakSet<object>();

const keyOf = ({ subject, predicate, object, value, datatype }: OutcomePattern): string =>
  JSON.stringify([subject, predicate, object, value, datatype]);

/**
 * The part of a graph that an engine has looked at. It asks the engine's questions from what is there; what is not, is
 * fetched by `load`, and the engine asks once more. So an engine that knows of no waiting sees a graph of any size.
 */
export class GraphView {
  readonly #outcome: PatchedOutcome;
  /** Classes that the shapes themselves place below others. */
  readonly #classes: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #quads = new Map<string, Quad>();
  readonly #bySubject = new Map<string, Quad[]>();
  readonly #byObject = new Map<string, Quad[]>();
  readonly #loaded = new Set<string>();
  readonly #missing = new Map<string, OutcomePattern>();
  readonly #types = new Map<string, ReadonlySet<string>>();
  readonly #untyped = new Set<string>();
  readonly #instances = new Map<string, readonly string[]>();
  /** Classes whose instances are asked for. */
  readonly #uncounted = new Set<string>();
  /** Classes that are right above others. */
  readonly #above = new Map<string, ReadonlySet<string>>();
  readonly #ancestors = new Map<string, ReadonlySet<string>>();

  /** @param classes what the shapes place right above each class */
  constructor(outcome: PatchedOutcome, classes: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#outcome = outcome;
    this.#classes = classes;
  }

  /** Whether something was asked for that is not here. */
  get lacks(): boolean {
    return this.#missing.size + this.#untyped.size + this.#uncounted.size > 0;
  }

  /** Fetches what was asked for in vain. */
  async load(): Promise<void> {
    const missing = [...this.#missing];
    this.#missing.clear();
    const untyped = [...this.#untyped];
    this.#untyped.clear();
    const found = await this.#outcome.findEach(missing.map(([, pattern]) => pattern));
    for (const [index, [key]] of missing.entries()) {
      this.#loaded.add(key);
      for (const statement of found[index] ?? []) this.#take(statement);
    }
    await this.loadTypes(untyped);
    for (const type of this.#uncounted) this.#instances.set(type, await this.#outcome.instancesOf(type));
    this.#uncounted.clear();
  }

  /** Fetches what these entities are instances of, and what is above their classes. */
  async loadTypes(ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => !this.#types.has(id));
    if (unknown.length === 0) return;
    const types = await this.#outcome.typesOf(unknown);
    for (const id of unknown) this.#types.set(id, types.get(id) ?? new Set());
    let level = [...new Set(unknown.flatMap((id) => [...(this.#types.get(id) ?? [])]))];
    for (;;) {
      level = level.filter((type) => !this.#above.has(type));
      if (level.length === 0) return;
      const found = await this.#outcome.findEach(level.map((subject) => ({ subject, predicate: subClassOf.value })));
      for (const [index, type] of level.entries()) {
        const said = (found[index] ?? []).map(({ object }) => object.id).filter((id) => id !== undefined);
        this.#above.set(type, new Set([...said, ...(this.#classes.get(type) ?? [])]));
      }
      level = [...new Set(level.flatMap((type) => [...(this.#above.get(type) ?? [])]))];
    }
  }

  /** Whether an entity whose types are here is an instance of a class, or of one below it. */
  isInstance(id: string, type: string): boolean {
    return [...(this.#types.get(id) ?? [])].some((own) => this.#ancestorsOf(own).has(type));
  }

  /** What RDF/JS calls a dataset's `match`, and all that the engine uses of one. */
  match(subject: Term | null = null, predicate: Term | null = null, object: Term | null = null): Set<Quad> {
    if (!subject && object && predicate?.equals(subClassOf)) return this.#classesBelow(object);
    if (predicate?.equals(rdfType)) return this.#typing(subject, object);
    const pattern = patternOf(subject, predicate, object);
    if (!pattern || !(subject || object)) return new Set();
    this.#want(pattern, subject, predicate);
    const near =
      (subject ? this.#bySubject.get(termKey(subject)) : object && this.#byObject.get(termKey(object))) ?? [];
    const fitting = near.filter(
      (quad) =>
        !quad.predicate.equals(rdfType) &&
        (!predicate || quad.predicate.equals(predicate)) &&
        (!object || quad.object.equals(object)),
    );
    return new Set(predicate ? fitting : [...fitting, ...this.#typing(subject, object)]);
  }

  /** What is said of instances, however it is said. */
  #typing(subject: Term | null, object: Term | null): Set<Quad> {
    if (subject) return this.#typesOf(subject, object);
    const type = object && idOf(object);
    if (!type) return new Set();
    const instances = this.#instances.get(type);
    if (!instances) this.#uncounted.add(type);
    return new Set(instances?.map((id) => DataFactory.quad(resourceTerm(id), rdfType, resourceTerm(type))));
  }

  #want(pattern: OutcomePattern, subject: Term | null, predicate: Term | null): void {
    const key = keyOf(pattern);
    if (this.#loaded.has(key) || this.#missing.has(key)) return;
    const wider = [patternOf(subject, predicate, null), patternOf(subject, null, null)];
    if (subject && wider.some((one) => one && this.#loaded.has(keyOf(one)))) return;
    this.#missing.set(key, pattern);
  }

  #take(statement: KGStatement): void {
    const quad = tripleOf(statement);
    const key = `${termKey(quad.subject)} ${quad.predicate.value} ${termKey(quad.object)}`;
    if (this.#quads.has(key)) return;
    this.#quads.set(key, quad);
    file(this.#bySubject, termKey(quad.subject), quad);
    file(this.#byObject, termKey(quad.object), quad);
  }

  #typesOf(subject: Term, object: Term | null): Set<Quad> {
    const id = idOf(subject);
    if (id === undefined) return new Set();
    const types = this.#types.get(id);
    if (!types) this.#untyped.add(id);
    const quads = [...(types ?? [])].map((type) =>
      DataFactory.quad(subject as Quad_Subject, rdfType, resourceTerm(type)),
    );
    return new Set(object ? quads.filter((quad) => quad.object.equals(object)) : quads);
  }

  /** All classes below one that anything here is an instance of, as if they were right below it. */
  #classesBelow(object: Term): Set<Quad> {
    const quads = new Set<Quad>();
    if (below.has(object)) return quads;
    for (const type of this.#above.keys()) {
      if (type === object.value || !this.#ancestorsOf(type).has(object.value)) continue;
      const term = resourceTerm(type);
      below.add(term);
      quads.add(DataFactory.quad(term, subClassOf, object as Quad_Object));
    }
    return quads;
  }

  /** A class and all above it. */
  #ancestorsOf(type: string): ReadonlySet<string> {
    const known = this.#ancestors.get(type);
    if (known) return known;
    const all = new Set([type]);
    // A set that grows while it is gone through comes to its end all the same.
    for (const one of all) for (const above of this.#above.get(one) ?? []) all.add(above);
    this.#ancestors.set(type, all);
    return all;
  }
}

function file(index: Map<string, Quad[]>, key: string, quad: Quad): void {
  const quads = index.get(key);
  if (quads) quads.push(quad);
  else index.set(key, [quad]);
}
