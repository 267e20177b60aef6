import { DataFactory, type NamedNode, type Quad, type Quad_Object, type Quad_Subject, Store, type Term } from 'n3';
import { withTimeLimit } from '../../../../core/limits/time-limit.ts';
import { countWork, takeTurn } from '../../turns.ts';
import type { ReadOutcome } from '../outcome.ts';
import { type OutcomePattern, TooMuchToJudge } from '../rule.ts';
import type { Superclasses } from './load.ts';
import { follow, type Path } from './paths.ts';
import { idOf, patternOf, rdfType, resourceTerm, subClassOf, tripleOf } from './terms.ts';

const keyOf = ({ subject, predicate, object, value, datatype }: { readonly [N in keyof OutcomePattern]?: unknown }) =>
  JSON.stringify([subject, predicate, object, value, datatype]);

/** Maximum steps for one update. A step is a lookup of the engine, or a statement that a lookup finds. */
const mostSteps = 200_000;
/** Maximum steps for one node, which are taken without a pause. */
const mostStepsForNode = 10_000;

/** Steps per millisecond of matching, and per match by the engine. */
const stepsPerMillisecond = 200;
const stepsPerMatch = 0.2;

interface PatternMatch {
  readonly pattern: RegExp;
  /** The pattern's source as written in the shapes. */
  readonly source: string;
  readonly value: string;
}

/**
 * Maximum milliseconds for matching a batch of values, and the batch's maximum size: an interruptible call costs as
 * much as a hundred matches.
 */
const longest = 250;
const atOnce = { values: 200, characters: 100_000 } as const;

/**
 * Matches a batch of values. V8 interrupts the call if a pattern backtracks for too long, since callers choose the
 * values. Returns the results and the milliseconds that they took.
 */
function matchSome(some: readonly PatternMatch[]): {
  readonly results: boolean[];
  readonly milliseconds: number;
} {
  const results: boolean[] = [];
  const begun = performance.now();
  try {
    withTimeLimit(longest, () => {
      for (const { pattern, value } of some) {
        pattern.lastIndex = 0;
        results.push(pattern.test(value));
      }
    });
  } catch {
    throw new TooMuchToJudge(`a value is too long for the pattern ${JSON.stringify(some[results.length]?.source)}`);
  }
  return { results, milliseconds: performance.now() - begun };
}

/** Questions that a validation has asked, by key; `answer` is absent until it is known. */
type Questions<Asked> = Map<string, { readonly asked: Asked; answer?: boolean }>;

const openIn = <Asked>(questions: Questions<Asked>) =>
  [...questions.values()].filter(({ answer }) => answer === undefined);

/**
 * The part of a graph that validation has read so far. Lookups are answered from the loaded statements; `load` then
 * fetches what was missing, and validation runs again. This lets a synchronous engine validate a graph of any size.
 */
export class GraphView {
  readonly #outcome: ReadOutcome;
  /** Direct superclasses stated in the shapes file. */
  readonly #classes: Superclasses;
  readonly #quads = new Store();
  /** Keys of the loaded patterns. */
  readonly #loaded = new Set<string>();
  readonly #missing = new Map<string, OutcomePattern>();
  /** Whether a pattern has a match, by pattern key. */
  readonly #existences: Questions<OutcomePattern> = new Map();
  /** Whether values match regular expressions, by expression and value. */
  readonly #matches = new Map<RegExp, Questions<PatternMatch>>();
  /** Direct superclasses of the types of loaded entities, and of these superclasses. */
  readonly #above = new Map<string, readonly string[]>();

  /** Repeated paths by the generated predicates that stand for them. */
  readonly #paths: ReadonlyMap<string, Path>;
  #steps = 0;
  #stepsForNode = 0;
  #lacking = 0;

  constructor(outcome: ReadOutcome, classes: Superclasses, paths: ReadonlyMap<string, Path>) {
    this.#outcome = outcome;
    this.#classes = classes;
    this.#paths = paths;
  }

  /** Resets the per-node state for the next node. */
  startNode(): void {
    this.#stepsForNode = 0;
    this.#lacking = 0;
  }

  /** Steps taken since `startNode`. */
  get steps(): number {
    return this.#stepsForNode;
  }

  /** Whether every lookup since `startNode` was answered from loaded data. */
  get isComplete(): boolean {
    return this.#lacking === 0;
  }

  /**
   * Counts steps.
   *
   * @throws TooMuchToJudge beyond the limits
   */
  count(steps: number): void {
    this.#spend(steps);
    this.#stepsForNode += steps;
    if (this.#stepsForNode > mostStepsForNode) {
      throw new TooMuchToJudge(`the shapes need more than ${mostStepsForNode} steps for one node`);
    }
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > mostSteps)
      throw new TooMuchToJudge(`the shapes need more than ${mostSteps} steps for the update`);
  }

  /** `match` of an RDF/JS dataset, the only method that the engine calls. */
  match(subject: Term | null = null, predicate: Term | null = null, object: Term | null = null): Set<Quad> {
    const path = predicate && this.#paths.get(predicate.value);
    if (path && subject) {
      const nodes = follow(path, subject, (node, by, isInverse) =>
        isInverse
          ? Array.from(this.match(null, by, node), (quad) => quad.subject)
          : Array.from(this.match(node, by, null), (quad) => quad.object),
      );
      this.count(nodes.length);
      // The engine reads only the objects.
      return new Set(
        nodes.map((node) => DataFactory.quad(subject as Quad_Subject, predicate as NamedNode, node as Quad_Object)),
      );
    }
    const isTyping = predicate?.equals(rdfType);
    // All types of a subject are loaded at once.
    const pattern = isTyping && subject ? undefined : patternOf(subject, predicate, object);
    if (pattern) this.#want(pattern);
    const id = subject && idOf(subject);
    if (id && (isTyping || !predicate)) this.#want({ subject: id, predicate: rdfType.value });
    const found = this.#quads.getQuads(subject, predicate, object, null);
    this.count(1 + found.length);
    return new Set(found);
  }

  /** Whether a pattern has a match. False if this is not loaded yet, or if there is no pattern. */
  has(pattern: OutcomePattern | undefined): boolean {
    this.count(1);
    return pattern !== undefined && (this.#ask(this.#existences, keyOf(pattern), pattern) ?? false);
  }

  /**
   * Whether a value matches a regular expression. True if this is not known yet, because a violation would cost more.
   */
  matches(pattern: RegExp, source: string, value: string): boolean {
    const questions = this.#matches.get(pattern) ?? new Map();
    this.#matches.set(pattern, questions);
    this.count(stepsPerMatch);
    return this.#ask(questions, value, { pattern, source, value }) ?? true;
  }

  #ask<Asked>(questions: Questions<Asked>, key: string, asked: Asked): boolean | undefined {
    const known = questions.get(key);
    if (!known) questions.set(key, { asked });
    if (known?.answer === undefined) this.#lacking += 1;
    return known?.answer;
  }

  /** Whether a node is an instance of a class or of one of its subclasses. */
  isInstance(node: Term, type: string): boolean {
    const ancestors = new Set([...this.match(node, rdfType)].map(({ object }) => idOf(object) ?? ''));
    // Iterating a Set includes elements that are added during the iteration.
    for (const one of ancestors) for (const above of this.#above.get(one) ?? []) ancestors.add(above);
    return ancestors.has(type);
  }

  /** Loads everything that lookups have missed. */
  async load(): Promise<void> {
    const missing = [...this.#missing];
    this.#missing.clear();
    for (const [key] of missing) this.#loaded.add(key);
    const patterns = missing.map(([, pattern]) => pattern);
    const unknown = openIn(this.#existences);
    const found = await this.#outcome.someEach(unknown.map(({ asked }) => asked));
    for (const [index, question] of unknown.entries()) question.answer = found[index] ?? false;
    await this.#match();

    const typing = patterns.filter(({ predicate }) => predicate === rdfType.value);
    const others = patterns.filter((pattern) => !typing.includes(pattern));
    for (const statement of (await this.#outcome.findEach(others)).flat()) {
      const quad = tripleOf(statement);
      // Types are loaded separately, since they can also be stated by other members of a statement.
      if (!quad.predicate.equals(rdfType)) this.#quads.addQuad(quad);
    }
    await this.#loadTypes(typing.flatMap(({ subject }) => subject ?? []));
    for (const { subject, object: type } of typing) {
      if (subject !== undefined || type === undefined) continue;
      for (const id of await this.#outcome.instancesOf(type)) this.#addType(id, type);
    }
  }

  /** Matches the values with open questions, in batches. */
  async #match(): Promise<void> {
    const open = [...this.#matches.values()].flatMap(openIn);
    for (let from = 0, end = 0; from < open.length; from = end) {
      for (
        let characters = 0;
        end < open.length && end - from < atOnce.values && characters <= atOnce.characters;
        end++
      ) {
        characters += open[end]?.asked.value.length ?? 0;
      }
      const turn = takeTurn();
      if (turn) await turn;
      const some = open.slice(from, end);
      const { results, milliseconds } = matchSome(some.map(({ asked }) => asked));
      for (const [index, question] of some.entries()) question.answer = results[index] ?? false;
      countWork(milliseconds * stepsPerMillisecond);
      this.#spend(milliseconds * stepsPerMillisecond);
    }
  }

  #want(pattern: OutcomePattern): void {
    const { subject, predicate } = pattern;
    const wider = subject === undefined || predicate === rdfType.value ? [] : [{ subject, predicate }, { subject }];
    if ([pattern, ...wider].some((one) => this.#loaded.has(keyOf(one)))) return;
    this.#lacking += 1;
    this.#missing.set(keyOf(pattern), pattern);
  }

  /** Loads the types of entities and all superclasses of these types. */
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
