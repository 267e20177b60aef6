import type { Store, Term } from 'n3';
import { rdf, sh } from '../../rdf/iris.ts';
import { rdfType, subClassOf } from './terms.ts';

/**
 * Functions that check and read a shapes file when it is loaded. They throw an Error that says what is wrong with it.
 */

/** The vocabulary of SHACL core (SHACL, sections 2 to 4), with annotations and paths. */
const core: ReadonlySet<string> = new Set(
  `targetClass targetNode targetSubjectsOf targetObjectsOf severity message deactivated path node property class datatype
   nodeKind minCount maxCount minExclusive minInclusive maxExclusive maxInclusive minLength maxLength pattern flags
   languageIn uniqueLang equals disjoint lessThan lessThanOrEquals not and or xone qualifiedValueShape
   qualifiedMinCount qualifiedMaxCount qualifiedValueShapesDisjoint closed ignoredProperties hasValue in
   name description order group defaultValue
   alternativePath inversePath zeroOrMorePath oneOrMorePath zeroOrOnePath
   shapesGraph entailment declare prefix namespace suggestedShapesGraph`
    .split(/\s+/)
    .map((name) => sh + name),
);

/**
 * Refuses constraints outside of SHACL core: a constraint that is silently ignored would accept every update.
 *
 * @throws Error that names the constraint
 */
export function requireCore(shapes: Store): void {
  for (const { value } of shapes.getPredicates(null, null, null)) {
    if (value === 'http://www.w3.org/2002/07/owl#imports') throw new Error('owl:imports is not followed');
    if (value.startsWith(sh) && !core.has(value)) {
      throw new Error(`sh:${value.slice(sh.length)} is not a part of SHACL core`);
    }
  }
}

/**
 * Compiles the patterns of the shapes. Returns a function that looks them up by source and flags.
 *
 * @throws Error for an invalid pattern
 */
export function patternsIn(shapes: Store): (source: string, flags?: string) => RegExp {
  const patterns = new Map<string, RegExp>();
  const keyOf = (source: string, flags = ''): string => `${flags}/${source}`;
  for (const { subject, object } of shapes.getQuads(null, `${sh}pattern`, null, null)) {
    const [flags, ...others] = shapes.getObjects(subject, `${sh}flags`, null);
    const unusable = (why: string, cause?: unknown): Error =>
      new Error(`the pattern ${JSON.stringify(object.value)} ${placeOf(shapes, subject)} cannot be used: ${why}`, {
        cause,
      });
    if (others.length > 0) throw unusable('it has several values of sh:flags');
    try {
      patterns.set(keyOf(object.value, flags?.value), regExpOf(object.value, flags?.value));
    } catch (cause) {
      throw unusable('it is not a valid regular expression', cause);
    }
  }
  return (source, flags) => {
    const pattern = patterns.get(keyOf(source, flags));
    if (!pattern) throw new TypeError(`the pattern ${JSON.stringify(source)} is unknown`);
    return pattern;
  };
}

/**
 * Compiles a pattern of `sh:pattern` with its flags (XPath and XQuery functions 3.1 section 5.6.1): `i`, `m` and `s` as
 * in JavaScript, `x` ignores white space outside of classes, `q` takes the pattern literally. Unicode classes such as
 * `\p{Lu}` are supported.
 *
 * @throws SyntaxError
 */
function regExpOf(source: string, flags = ''): RegExp {
  const own = flags.replace(/[xq]/g, '');
  if (flags.includes('q')) return new RegExp(source.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), `${own}u`);
  const pattern = flags.includes('x') ? withoutSpace(source) : source;
  try {
    return new RegExp(pattern, `${own}u`);
  } catch (thrown) {
    // Escapes such as `\\-` outside of a class are valid in XPath. Without `u`, Unicode classes would never match.
    if (/\\[pPu]\{/.test(pattern)) throw thrown;
    return new RegExp(pattern, own);
  }
}

/** Removes the white space of a pattern that is neither in a class nor escaped. */
function withoutSpace(source: string): string {
  let kept = '';
  let isInClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === '\\') {
      kept += source.slice(at, at + 2);
      at += 1;
      continue;
    }
    if (character === '[') isInClass = true;
    else if (character === ']') isInClass = false;
    if (isInClass || !' \t\r\n'.includes(character)) kept += character;
  }
  return kept;
}

/** Describes the location of a constraint: its property, and the named shape that contains it. */
function placeOf(shapes: Store, subject: Term): string {
  let node: Term | undefined = subject;
  let property: string | undefined;
  const seen = new Set<string>();
  while (node?.termType === 'BlankNode' && !seen.has(node.value)) {
    seen.add(node.value);
    const [path] = shapes.getObjects(node, `${sh}path`, null);
    property ??= path?.termType === 'NamedNode' ? path.value : undefined;
    node = shapes.getSubjects(null, node, null)[0];
  }
  const shape = node?.termType === 'NamedNode' ? `the shape ${node.value}` : 'a shape without a name';
  const [path] = node ? shapes.getObjects(node, `${sh}path`, null) : [];
  property ??= path?.termType === 'NamedNode' ? path.value : undefined;
  return property ? `for ${property} in ${shape}` : `in ${shape}`;
}

/** Direct superclasses by class. */
export type Superclasses = ReadonlyMap<string, readonly string[]>;

export function superclassesIn(shapes: Store): Superclasses {
  const classes = Map.groupBy(shapes.getQuads(null, subClassOf, null, null), ({ subject }) => subject.value);
  return new Map([...classes].map(([name, quads]) => [name, quads.map(({ object }) => object.value)]));
}

/** How far from their focus nodes shapes read. */
export interface Reach {
  /** Maximum number of steps from a statement back to a focus node; Infinity for unbounded paths. */
  readonly steps: number;
  /** Predicates of the steps, by direction. */
  readonly forward: ReadonlySet<string>;
  readonly inverse: ReadonlySet<string>;
}

/** Constraints that read statements of the value node itself. */
const looking = ['class', 'closed', 'equals', 'disjoint', 'lessThan', 'lessThanOrEquals'].map((name) => sh + name);
/** Constraints that refer to another shape, and constraints that refer to a list of shapes. */
const nesting = ['node', 'property', 'not', 'qualifiedValueShape'].map((name) => sh + name);
const listing = ['and', 'or', 'xone'].map((name) => sh + name);
const repeated = ['zeroOrMorePath', 'oneOrMorePath'].map((name) => sh + name);

/**
 * Computes how far shapes read.
 *
 * @throws Error for recursive shapes (SHACL 3.4.3)
 */
export function reachOf(shapes: Store, roots: readonly Term[]): Reach {
  const measure = new ReachMeasure(shapes);
  const steps = Math.max(0, ...roots.map((root) => measure.stepsOf(root)));
  // A change of a type also changes its subject, which is validated in any case.
  measure.forward.delete(rdfType.value);
  return { steps, forward: measure.forward, inverse: measure.inverse };
}

/** Measures the reach of shapes and collects the predicates of their paths by direction. */
class ReachMeasure {
  readonly forward = new Set<string>();
  readonly inverse = new Set<string>();
  readonly #shapes: Store;
  /** Steps of the shapes that have been measured. */
  readonly #known = new Map<string, number>();
  /** Shapes that are being measured. */
  readonly #open = new Set<string>();

  constructor(shapes: Store) {
    this.#shapes = shapes;
  }

  /** Returns the steps from a node to the farthest statement that a shape reads; -1 if the shape reads none. */
  stepsOf(shape: Term): number {
    const before = this.#known.get(shape.value);
    if (before !== undefined) return before;
    if (this.#open.has(shape.value)) throw new Error(`the shape ${shape.value} is recursive`);
    this.#open.add(shape.value);
    const [path] = this.#objects(shape, `${sh}path`);
    const far = path ? this.#length(path, false) : 0;
    const nested = [
      ...nesting.flatMap((predicate) => this.#objects(shape, predicate)),
      ...listing.flatMap((predicate) => this.#objects(shape, predicate).flatMap((head) => this.#list(head))),
      ...this.#siblings(shape),
    ];
    const looks = looking.some((predicate) => this.#objects(shape, predicate).length > 0);
    const beyond = Math.max(looks ? 0 : -1, ...nested.map((one) => this.stepsOf(one)));
    const all = Math.max(far - 1, beyond < 0 ? -1 : far + beyond);
    this.#open.delete(shape.value);
    this.#known.set(shape.value, all);
    return all;
  }

  #list(head: Term): Term[] {
    const items: Term[] = [];
    const seen = new Set<string>();
    for (
      let node: Term | undefined = head;
      node && node.value !== `${rdf}nil`;
      [node] = this.#objects(node, `${rdf}rest`)
    ) {
      if (seen.has(node.value)) throw new Error('a list in the shapes is cyclic');
      seen.add(node.value);
      items.push(...this.#objects(node, `${rdf}first`));
    }
    return items;
  }

  /** Returns the length of a path and collects its predicates. */
  #length(path: Term, backwards: boolean): number {
    if (path.termType === 'NamedNode') {
      (backwards ? this.inverse : this.forward).add(path.value);
      return 1;
    }
    // The engine treats a path that is both a list and another kind of path as the list.
    if (this.#objects(path, `${rdf}first`).length > 0) {
      return this.#list(path).reduce((sum, step) => sum + this.#length(step, backwards), 0);
    }
    const [choices] = this.#objects(path, `${sh}alternativePath`);
    if (choices) return Math.max(0, ...this.#list(choices).map((choice) => this.#length(choice, backwards)));
    const [optional] = this.#objects(path, `${sh}zeroOrOnePath`);
    if (optional) return this.#length(optional, backwards);
    for (const kind of repeated) {
      const [inner] = this.#objects(path, kind);
      if (!inner) continue;
      this.#length(inner, backwards);
      return Number.POSITIVE_INFINITY;
    }
    const [turned] = this.#objects(path, `${sh}inversePath`);
    if (turned?.termType !== 'NamedNode') throw new Error('only inverse paths of one predicate are supported');
    return this.#length(turned, !backwards);
  }

  /** Returns the sibling shapes that values must not conform to (SHACL 4.7.3). */
  #siblings(shape: Term): Term[] {
    if (this.#objects(shape, `${sh}qualifiedValueShapesDisjoint`).length === 0) return [];
    return this.#shapes
      .getSubjects(`${sh}property`, shape, null)
      .flatMap((parent) => this.#objects(parent, `${sh}property`))
      .flatMap((sibling) => this.#objects(sibling, `${sh}qualifiedValueShape`));
  }

  #objects(node: Term, predicate: string): Term[] {
    return this.#shapes.getObjects(node, predicate, null);
  }
}
