import { DataFactory, type Quad, Store, type Term } from 'n3';
import type { PatchedOutcome } from '../outcome.ts';
import type { OutcomePattern } from '../rule.ts';
import type { Superclasses } from './load.ts';
import { idOf, patternOf, rdfType, resourceTerm, subClassOf, tripleOf } from './terms.ts';

const keyOf = ({ subject, predicate, object, value, datatype }: { readonly [N in keyof OutcomePattern]?: unknown }) =>
  JSON.stringify([subject, predicate, object, value, datatype]);

/**
 * The part of a graph that validation has read. Queries are answered from what is loaded; what is missing is fetched by
 * `load`, and validation runs again. So a synchronous engine can validate a graph of any size.
 */
export class GraphView {
  readonly #outcome: PatchedOutcome;
  /** Direct superclasses, as the shapes file states them. */
  readonly #classes: Superclasses;
  readonly #quads = new Store();
  /** Keys of the loaded patterns. */
  readonly #loaded = new Set<string>();
  readonly #missing = new Map<string, OutcomePattern>();
  /** Whether patterns have a match. Undefined: not looked up yet. */
  readonly #matches = new Map<string, { readonly pattern: OutcomePattern; has?: boolean }>();
  /** Direct superclasses of each type of a loaded entity, and of these superclasses. */
  readonly #above = new Map<string, readonly string[]>();

  constructor(outcome: PatchedOutcome, classes: Superclasses) {
    this.#outcome = outcome;
    this.#classes = classes;
  }

  /** `match` of an RDF/JS dataset: the only method that the engine uses. */
  match(subject: Term | null = null, predicate: Term | null = null, object: Term | null = null): Set<Quad> {
    const isTyping = predicate?.equals(rdfType);
    // All types of a subject are loaded at once.
    const pattern = isTyping && subject ? undefined : patternOf(subject, predicate, object);
    if (pattern) this.#want(pattern);
    const id = subject && idOf(subject);
    if (id && (isTyping || !predicate)) this.#want({ subject: id, predicate: rdfType.value });
    return new Set(this.#quads.getQuads(subject, predicate, object, null));
  }

  /** Whether a pattern has a match. False where that is not loaded, and without a pattern. */
  has(pattern: OutcomePattern | undefined): boolean {
    if (!pattern) return false;
    const key = keyOf(pattern);
    const known = this.#matches.get(key);
    if (!known) this.#matches.set(key, { pattern });
    return known?.has ?? false;
  }

  /** Whether a node is an instance of a class, or of a subclass of it. */
  isInstance(node: Term, type: string): boolean {
    const ancestors = new Set([...this.match(node, rdfType)].map(({ object }) => idOf(object) ?? ''));
    // Iteration over a Set includes elements that are added meanwhile.
    for (const one of ancestors) for (const above of this.#above.get(one) ?? []) ancestors.add(above);
    return ancestors.has(type);
  }

  /** Loads what queries needed. False: nothing was missing. */
  async load(): Promise<boolean> {
    const missing = [...this.#missing];
    this.#missing.clear();
    for (const [key] of missing) this.#loaded.add(key);
    const patterns = missing.map(([, pattern]) => pattern);
    const unknown = [...this.#matches.values()].filter(({ has }) => has === undefined);
    const found = await this.#outcome.someEach(unknown.map(({ pattern }) => pattern));
    for (const [index, match] of unknown.entries()) match.has = found[index] ?? false;

    const typing = patterns.filter(({ predicate }) => predicate === rdfType.value);
    const others = patterns.filter((pattern) => !typing.includes(pattern));
    for (const statement of (await this.#outcome.findEach(others)).flat()) {
      const quad = tripleOf(statement);
      // Types are loaded apart, since they are stated in other ways, too.
      if (!quad.predicate.equals(rdfType)) this.#quads.addQuad(quad);
    }
    await this.#loadTypes(typing.flatMap(({ subject }) => subject ?? []));
    for (const { subject, object: type } of typing) {
      if (subject !== undefined || type === undefined) continue;
      for (const id of await this.#outcome.instancesOf(type)) this.#addType(id, type);
    }
    return missing.length + unknown.length > 0;
  }

  #want(pattern: OutcomePattern): void {
    const { subject, predicate } = pattern;
    const wider = subject === undefined || predicate === rdfType.value ? [] : [{ subject, predicate }, { subject }];
    if ([pattern, ...wider].some((one) => this.#loaded.has(keyOf(one)))) return;
    this.#missing.set(keyOf(pattern), pattern);
  }

  /** Loads the types of entities, and all superclasses of those. */
  async #loadTypes(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const types = await this.#outcome.typesOf(ids);
    for (const [id, stated] of types) for (const type of stated) this.#addType(id, type);
    let level = [...types.values()].flatMap((stated) => [...stated]);
    for (;;) {
      level = [...new Set(level)].filter((type) => !this.#above.has(type));
      if (level.length === 0) return;
      const found = await this.#outcome.findEach(level.map((subject) => ({ subject, predicate: subClassOf.value })));
      for (const [index, type] of level.entries()) {
        const stated = (found[index] ?? []).flatMap(({ object }) => object.id ?? []);
        this.#above.set(type, [...stated, ...(this.#classes.get(type) ?? [])]);
      }
      level = level.flatMap((type) => this.#above.get(type) ?? []);
    }
  }

  #addType(id: string, type: string): void {
    this.#quads.addQuad(DataFactory.quad(resourceTerm(id), rdfType, resourceTerm(type)));
  }
}
