import { DataFactory, type Quad, type Quad_Object, type Quad_Subject, type Term } from 'n3';
import type { KGStatement } from '../../../core/model/knowledge.ts';
import type { PatchedOutcome } from '../outcome.ts';
import type { OutcomePattern } from '../rule.ts';
import { idOf, patternOf, rdfType, resourceTerm, subClassOf, termKey, tripleOf } from './terms.ts';

/** Terms that were returned as subclasses: all their subclasses were returned with them. */
const below = new WeakSet<object>();

const keyOf = ({ subject, predicate, object, value, datatype }: OutcomePattern): string =>
  JSON.stringify([subject, predicate, object, value, datatype]);

/**
 * The part of a graph that the validation engine has read. The engine's queries are answered from what is loaded; what
 * is missing is fetched by `load`, and the engine runs again. So a synchronous engine can validate a graph of any size.
 */
export class GraphView {
  readonly #outcome: PatchedOutcome;
  /** Superclasses that the shapes file states. */
  readonly #classes: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #quads = new Map<string, Quad>();
  readonly #bySubject = new Map<string, Quad[]>();
  readonly #byObject = new Map<string, Quad[]>();
  readonly #loaded = new Set<string>();
  readonly #missing = new Map<string, OutcomePattern>();
  readonly #types = new Map<string, ReadonlySet<string>>();
  readonly #untyped = new Set<string>();
  readonly #instances = new Map<string, readonly string[]>();
  /** Classes whose instances are missing. */
  readonly #uncounted = new Set<string>();
  /** Direct superclasses. */
  readonly #above = new Map<string, ReadonlySet<string>>();
  readonly #ancestors = new Map<string, ReadonlySet<string>>();

  /** @param classes direct superclasses, as the shapes file states them */
  constructor(outcome: PatchedOutcome, classes: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#outcome = outcome;
    this.#classes = classes;
  }

  /** Whether a query needed something that is not loaded. */
  get lacks(): boolean {
    return this.#missing.size + this.#untyped.size + this.#uncounted.size > 0;
  }

  /** Loads what queries needed. */
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

  /** Loads the types of entities, and the superclasses of those. */
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

  /** Whether an entity, whose types are loaded, is an instance of a class or of a subclass of it. */
  isInstance(id: string, type: string): boolean {
    return [...(this.#types.get(id) ?? [])].some((own) => this.#ancestorsOf(own).has(type));
  }

  /** `match` of an RDF/JS dataset: the only method that the engine uses. */
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

  /** Types of a subject, or instances of a class, however they are stated. */
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

  /** All loaded subclasses, as if they were direct ones. */
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

  /** A class and all its superclasses. */
  #ancestorsOf(type: string): ReadonlySet<string> {
    const known = this.#ancestors.get(type);
    if (known) return known;
    const all = new Set([type]);
    // Iteration over a Set includes elements that are added meanwhile.
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
