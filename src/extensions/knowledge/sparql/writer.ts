import { newId } from '../../../core/model/ids.ts';
import type { AppliedUpdate, ChangeMeta, KnowledgeChange } from '../model/graph.ts';
import type { KnowledgePatch } from '../model/knowledge.ts';
import type { Term } from '../model/terms.ts';
import type { StatementRow } from '../store/rows.ts';
import { TermSet } from '../store/terms.ts';
import { type Draft, draftOf, WorkingSet } from '../store/write/working-set.ts';
import {
  type Annotations,
  annotationsFrom,
  annotationTriples,
  nameOf,
  rowFrom,
  type StatementTerms,
  statementKeyOf,
} from './annotations.ts';
import type { Endpoint } from './endpoint.ts';
import { kg, type SpaceGraphs } from './graphs.ts';
import { changeTriples, type SparqlLog } from './log.ts';
import { inChunks, type SparqlReader, statementIn } from './reader.ts';
import { canonical, writeId, writeTerm, writeText } from './terms.ts';

/** Maximum number of statements or groups per request. */
const atOnce = 300;

/** A stored statement with its annotations. */
interface StoredTerms {
  /** Terms as the engine returns them. */
  readonly place: StatementTerms;
  readonly about: Annotations | undefined;
}

const placeOf = ({ s, p, o, g }: Draft): StatementTerms => ({ s: s.text, p: p.text, o, g: g?.text ?? '' });

/** Returns the draft with its canonical literal, with which the engine identifies it. */
const asEngineHas = (draft: Draft): Draft => ({ ...draft, o: canonical(draft.o) });

/** The triples that an update deletes and those that it inserts. */
interface Triples {
  readonly out: string[];
  readonly into: string[];
}

/**
 * Applies patches with one SPARQL update. The triples to delete and insert are computed in the gateway, and the update
 * takes effect only if the log is still at the same position. An update and its log entries are therefore applied
 * atomically, despite concurrent gateways and crashes.
 */
export class SparqlWriter {
  readonly #select: Endpoint['select'];
  readonly #update: Endpoint['update'];
  readonly #reader: SparqlReader;
  readonly #log: SparqlLog;
  /** Last known positions by the IRI of the log. */
  readonly #lasts = new Map<string, number>();

  constructor({ select, update }: Endpoint, reader: SparqlReader, log: SparqlLog) {
    this.#select = select;
    this.#update = update;
    this.#reader = reader;
    this.#log = log;
  }

  /**
   * Applies patches; undefined if the space is not at the expected position.
   *
   * @throws A2AError `invalidParams` for values that cannot be stored
   */
  async write(
    graphs: SpaceGraphs,
    patches: readonly KnowledgePatch[],
    meta: ChangeMeta,
    expected: number | undefined,
  ): Promise<AppliedUpdate | undefined> {
    const drafts = patches.map((patch) => draftOf(patch));
    // The position is known from the last update; after a conflict it is read again.
    for (let known = expected === undefined ? this.#lasts.get(graphs.log) : undefined; ; known = undefined) {
      const last = known ?? (await this.#log.head(graphs.log))?.last;
      if (expected !== undefined && expected !== (last ?? 0)) return undefined;
      if (last === undefined) await this.#log.begin(graphs.log);
      const applied = await this.#attempt(graphs, drafts, meta, last ?? 0);
      // An update without changes is not checked against the log, so the assumed position may be stale.
      if (!applied || (known !== undefined && applied.position === last)) continue;
      this.#lasts.set(graphs.log, applied.position);
      return applied;
    }
  }

  /** Makes one attempt; undefined if a concurrent update came first. */
  async #attempt(
    graphs: SpaceGraphs,
    drafts: readonly Draft[],
    meta: ChangeMeta,
    last: number,
  ): Promise<AppliedUpdate | undefined> {
    const terms = new TermSet(1);
    const set = new WorkingSet(terms);
    const stored = await this.#load(graphs, drafts);
    for (const { place, about } of stored.values()) {
      set.load(rowFrom({ ...place, o: canonical(place.o) }, about, terms));
    }
    const changes: KnowledgeChange[] = [];
    const at = Date.now();
    const effects = set.apply(drafts.map(asEngineHas), at, ({ op }, { statement, replaced }) => {
      const change = { position: last + changes.length + 1, changeId: newId(at), at, op, statement, meta };
      changes.push(replaced.length > 0 ? { ...change, replaced } : change);
    });
    const applied = { ...effects, position: last + changes.length };
    const difference = set.difference();
    if (difference.written.length + difference.deleted.length === 0) return applied;
    const triples = triplesOf(graphs, difference, { terms, stored, given: givenLiterals(drafts) });
    return (await this.#send(graphs, triples, changes, last)) ? applied : undefined;
  }

  /**
   * Sends an update. Returns whether it took effect. An update that changes only times is not logged and always takes
   * effect.
   */
  async #send(
    graphs: SpaceGraphs,
    { out, into }: Triples,
    changes: readonly KnowledgeChange[],
    last: number,
  ): Promise<boolean> {
    const head = (position: number) => `GRAPH <${graphs.log}> { <${graphs.log}> <${kg}last> ${position} }`;
    const [first] = changes;
    if (first) {
      const logged = changes.map((change) => changeTriples(change, writeText(JSON.stringify(change))));
      out.push(head(last));
      into.push(head(last + changes.length), `GRAPH <${graphs.log}> { ${logged.join('\n')} }`);
    }
    try {
      await this.#update(`DELETE { ${out.join('\n')} } INSERT { ${into.join('\n')} } WHERE { ${head(last)} }`);
    } catch (error) {
      // Possibly only the response was lost.
      if (first && (await this.#log.has(graphs.log, first.changeId).catch(() => false))) return true;
      throw error;
    }
    return first === undefined || this.#log.has(graphs.log, first.changeId);
  }

  /** Returns the stored statements that the drafts concern, by key. */
  async #load(graphs: SpaceGraphs, drafts: readonly Draft[]): Promise<ReadonlyMap<string, StoredTerms>> {
    const found = new Map<string, StatementTerms>();
    for (const some of inChunks(drafts, atOnce)) {
      const groups = [true, false].flatMap((inDefault) =>
        [true, false].flatMap((replaces) => {
          const alike = some.filter(({ op, g }) => (op === 'replace') === replaces && (g === undefined) === inDefault);
          return alike.length > 0 ? [groupOf(graphs, alike, inDefault, replaces)] : [];
        }),
      );
      for (const row of await this.#select(`SELECT DISTINCT ?s ?p ?o ?gk { ${groups.join(' UNION ')} }`)) {
        for (const place of statementIn(graphs, {}, row)) found.set(statementKeyOf(place), place);
      }
    }
    const annotations = await this.#reader.annotationsOf(graphs, [...found.values()]);
    return new Map([...found].map(([key, place]) => [key, { place, about: annotations.get(nameOf(place)) }]));
  }
}

/** Returns the literals of statements as the drafts write them, by the statements' keys. */
function givenLiterals(drafts: readonly Draft[]): ReadonlyMap<string, Term> {
  const given = new Map<string, Term>();
  for (const draft of drafts) if (draft.op !== 'remove') given.set(statementKeyOf(placeOf(draft)), draft.o);
  return given;
}

/** The state before an update: its terms, the stored statements, and the literals as they were given. */
interface Before {
  readonly terms: TermSet;
  readonly stored: ReadonlyMap<string, StoredTerms>;
  readonly given: ReadonlyMap<string, Term>;
}

function triplesOf(
  graphs: SpaceGraphs,
  { written, deleted }: Pick<ReturnType<WorkingSet['difference']>, 'written' | 'deleted'>,
  before: Before,
): Triples {
  const out: string[] = [];
  const into: string[] = [];
  const removed = deleted.map((row) => placedIn(row, before));
  const placed = written.map((row) => placedIn(row, before));
  for (const { there } of [...removed, ...placed]) {
    if (there?.about) out.push(annotationQuads(graphs, there.place, there.about));
  }
  for (const { place, there } of removed) out.push(statementQuad(graphs, there?.place ?? place));
  for (const { row, place, there, given } of placed) {
    const stated = there?.place ?? { ...place, o: given ?? place.o };
    if (!there) into.push(statementQuad(graphs, stated));
    const differs = given !== undefined && given.datatype !== '';
    const annotations = annotationsFrom(row, before.terms, differs ? given : undefined);
    into.push(annotationQuads(graphs, stated, annotations));
  }
  return { out, into };
}

/** Returns a row with its terms and with the statement as stored in the engine. */
function placedIn(row: StatementRow, { terms, stored, given }: Before) {
  const place = {
    s: terms.get(row.s).text,
    p: terms.get(row.p).text,
    o: terms.get(row.o),
    g: row.g === 0 ? '' : terms.get(row.g).text,
  };
  const key = statementKeyOf(place);
  return { row, place, there: stored.get(key), given: given.get(key) };
}

/**
 * Returns a group that finds the existing statements among the drafts; for replacements, all statements with the same
 * subject, predicate and graph.
 */
function groupOf(graphs: SpaceGraphs, drafts: readonly Draft[], inDefault: boolean, replaces: boolean): string {
  const { defaultGraph } = graphs;
  const variables = ['?s', '?p', ...(replaces ? [] : ['?o']), ...(inDefault ? [] : ['?gk'])];
  const rows = drafts.map(({ s, p, o, g }) => {
    const object = replaces ? [] : [writeTerm(o)];
    const graph = g ? [`<${graphs.graphIri(g.text)}>`] : [];
    return `(${[writeId(s.text), writeId(p.text), ...object, ...graph].join(' ')})`;
  });
  const values = `VALUES (${variables.join(' ')}) { ${[...new Set(rows)].join(' ')} }`;
  const unnamed = defaultGraph === undefined ? '?s ?p ?o' : `GRAPH <${defaultGraph}> { ?s ?p ?o }`;
  return `{ ${values} ${inDefault ? unnamed : 'GRAPH ?gk { ?s ?p ?o }'} }`;
}

/** Writes a statement as a quad of an update. */
function statementQuad(graphs: SpaceGraphs, { s, p, o, g }: StatementTerms): string {
  const triple = `${writeId(s)} ${writeId(p)} ${writeTerm(o)}`;
  const iri = g === '' ? graphs.defaultGraph : graphs.graphIri(g);
  return iri === undefined ? `${triple} .` : `GRAPH <${iri}> { ${triple} }`;
}

const annotationQuads = (graphs: SpaceGraphs, place: StatementTerms, about: Annotations): string =>
  `GRAPH <${graphs.about}> { ${annotationTriples(graphs, place, about)} }`;
