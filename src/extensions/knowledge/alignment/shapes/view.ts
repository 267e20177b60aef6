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

/** Steps of one update: lookups of the engine, and the statements that they find. */
const mostSteps = 200_000;
/** Steps for one node, which are taken at once. */
const mostStepsForNode = 10_000;

/** Steps that take as long as a millisecond of matching, and as the engine's part of a match. */
const stepsPerMillisecond = 200;
const stepsPerMatch = 0.2;

interface PatternMatch {
  readonly pattern: RegExp;
  /** As the shapes have it. */
  readonly source: string;
  readonly value: string;
}

/** Milliseconds for some values, and how many they may be: an interruptible call costs as much as a hundred matches. */
const longest = 250;
const atOnce = { values: 200, characters: 100_000 } as const;

/**
 * Matches some values, which V8 interrupts where a pattern backtracks for too long: callers choose the values. Returns the
 * results and the milliseconds that they took.
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

/** The open questions of a validation, by keys; `answer` is absent until it is known. */
type Questions<Asked> = Map<string, { readonly asked: Asked; answer?: boolean }>;

const openIn = <Asked>(questions: Questions<Asked>) =>
  [...questions.values()].filter(({ answer }) => answer === undefined);

/**
 * The part of a graph that validation has read. Queries are answered from what is loaded; what is missing is fetched by
 * `load`, and validation runs again. So a synchronous engine can validate a graph of any size.
 */
export class GraphView {
  readonly #outcome: ReadOutcome;
  /** Direct superclasses, as the shapes file states them. */
  readonly #classes: Superclasses;
  readonly #quads = new Store();
  /** Keys of the loaded patterns. */
  readonly #loaded = new Set<string>();
  readonly #missing = new Map<string, OutcomePattern>();
  /** Whether patterns have a match, by their keys. */
  readonly #existences: Questions<OutcomePattern> = new Map();
  /** Whether values match regular expressions, by these and by the values. */
  readonly #matches = new Map<RegExp, Questions<PatternMatch>>();
  /** Direct superclasses of each type of a loaded entity, and of these superclasses. */
  readonly #above = new Map<string, readonly string[]>();

  /** Repeated paths, by the predicates that stand for them. */
  readonly #paths: ReadonlyMap<string, Path>;
  #steps = 0;
  #stepsForNode = 0;
  #lacking = 0;

  constructor(outcome: ReadOutcome, classes: Superclasses, paths: ReadonlyMap<string, Path>) {
    this.#outcome = outcome;
    this.#classes = classes;
    this.#paths = paths;
  }

  /** Begins with another node. */
  startNode(): void {
    this.#stepsForNode = 0;
    this.#lacking = 0;
  }

  /** Steps since `startNode`. */
  get steps(): number {
    return this.#stepsForNode;
  }

  /** Whether all that was looked up since `startNode` was loaded. */
  get isComplete(): boolean {
    return this.#lacking === 0;
  }

  /** Counts steps; throws beyond the limits. */
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

  /** `match` of an RDF/JS dataset: the only method that the engine uses. */
  match(subject: Term | null = null, predicate: Term | null = null, object: Term | null = null): Set<Quad> {
    const path = predicate && this.#paths.get(predicate.value);
    if (path && subject) {
      const nodes = follow(path, subject, (node, by, isInverse) =>
        isInverse
          ? Array.from(this.match(null, by, node), (quad) => quad.subject)
          : Array.from(this.match(node, by, null), (quad) => quad.object),
      );
      this.count(nodes.length);
      // The engine reads nothing but the objects.
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

  /** Whether a pattern has a match. False where that is not loaded, and without a pattern. */
  has(pattern: OutcomePattern | undefined): boolean {
    this.count(1);
    return pattern !== undefined && (this.#ask(this.#existences, keyOf(pattern), pattern) ?? false);
  }

  /** Whether a value matches a regular expression. True where that is not known yet: a violation would cost more. */
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

  /** Whether a node is an instance of a class, or of a subclass of it. */
  isInstance(node: Term, type: string): boolean {
    const ancestors = new Set([...this.match(node, rdfType)].map(({ object }) => idOf(object) ?? ''));
    // Iteration over a Set includes elements that are added meanwhile.
    for (const one of ancestors) for (const above of this.#above.get(one) ?? []) ancestors.add(above);
    return ancestors.has(type);
  }

  /** Loads what queries needed. */
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
      // Types are loaded apart, since they are stated in other ways, too.
      if (!quad.predicate.equals(rdfType)) this.#quads.addQuad(quad);
    }
    await this.#loadTypes(typing.flatMap(({ subject }) => subject ?? []));
    for (const { subject, object: type } of typing) {
      if (subject !== undefined || type === undefined) continue;
      for (const id of await this.#outcome.instancesOf(type)) this.#addType(id, type);
    }
  }

  /** Matches values, some at once. */
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
