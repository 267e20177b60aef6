import { newId } from '../../../core/model/ids.ts';
import type { KnowledgePatch } from '../../../core/model/knowledge.ts';
import type { AppliedUpdate, ChangeMeta, KnowledgeChange } from '../model/graph.ts';
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

/** Statements and groups per request. */
const atOnce = 300;

/** A stored statement, with its annotations. */
interface StoredTerms {
  /** As the engine returns it. */
  readonly place: StatementTerms;
  readonly about: Annotations | undefined;
}

/** Undefined: the space is not at the expected position. Rejects with `invalidParams` for what cannot be stored. */
export type SparqlWriter = (
  graphs: SpaceGraphs,
  patches: readonly KnowledgePatch[],
  meta: ChangeMeta,
  expected: number | undefined,
) => Promise<AppliedUpdate | undefined>;

const placeOf = ({ s, p, o, g }: Draft): StatementTerms => ({ s: s.text, p: p.text, o, g: g?.text ?? '' });

/** The draft with its canonical literal, by which the engine identifies it. */
const asEngineHas = (draft: Draft): Draft => ({ ...draft, o: canonical(draft.o) });

/**
 * Applies patches by one SPARQL update. The triples to delete and insert are computed here, and the update takes effect
 * only if the log is still at the same position. So an update and its changes in the log are applied atomically,
 * despite concurrent gateways and crashes.
 */
export function createSparqlWriter({ select, update }: Endpoint, reader: SparqlReader, log: SparqlLog): SparqlWriter {
  /** Last known positions, by the IRIs of the logs. */
  const lasts = new Map<string, number>();

  /** Undefined: a concurrent update came first. */
  async function attempt(
    graphs: SpaceGraphs,
    drafts: readonly Draft[],
    meta: ChangeMeta,
    last: number,
  ): Promise<AppliedUpdate | undefined> {
    const terms = new TermSet(1);
    const set = new WorkingSet(terms);
    const stored = new Map<string, StoredTerms>();
    for (const each of await load(graphs, drafts)) {
      const { place, about } = each;
      stored.set(statementKeyOf(place), each);
      set.load(rowFrom({ ...place, o: canonical(place.o) }, about, terms));
    }
    const written = new Map<string, Term>();
    for (const draft of drafts) if (draft.op !== 'remove') written.set(statementKeyOf(placeOf(draft)), draft.o);
    const changes: KnowledgeChange[] = [];
    const at = Date.now();
    const effects = set.apply(drafts.map(asEngineHas), at, ({ op }, { statement, replaced }) => {
      const change = { position: last + changes.length + 1, changeId: newId(at), at, op, statement, meta };
      changes.push(replaced.length > 0 ? { ...change, replaced } : change);
    });
    const applied = { ...effects, position: last + changes.length };
    const { written: rows, deleted } = set.difference();
    if (rows.length + deleted.length === 0) return applied;

    /** The terms of a row, and the statement that the engine has. */
    const placed = ({ s, p, o, g }: StatementRow) => {
      const place = {
        s: terms.get(s).text,
        p: terms.get(p).text,
        o: terms.get(o),
        g: g === 0 ? '' : terms.get(g).text,
      };
      const key = statementKeyOf(place);
      return { place, there: stored.get(key), given: written.get(key) };
    };
    const [out, into]: [string[], string[]] = [[], []];
    for (const { there } of [...deleted, ...rows].map(placed)) {
      if (there?.about) out.push(annotationQuads(graphs, there.place, there.about));
    }
    for (const { place, there } of deleted.map(placed)) out.push(statementQuad(graphs, there?.place ?? place));
    for (const row of rows) {
      const { place, there, given } = placed(row);
      const stated = there?.place ?? { ...place, o: given ?? place.o };
      if (!there) into.push(statementQuad(graphs, stated));
      const differs = given !== undefined && given.datatype !== '';
      into.push(annotationQuads(graphs, stated, annotationsFrom(row, terms, differs ? given : undefined)));
    }
    return (await write(graphs, out, into, changes, last)) ? applied : undefined;
  }

  /** Whether it took effect. An update that changes only times is not logged, and always takes effect. */
  async function write(
    graphs: SpaceGraphs,
    out: string[],
    into: string[],
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
      await update(`DELETE { ${out.join('\n')} } INSERT { ${into.join('\n')} } WHERE { ${head(last)} }`);
    } catch (error) {
      // Perhaps only the response was lost.
      if (first && (await log.has(graphs.log, first.changeId).catch(() => false))) return true;
      throw error;
    }
    return first === undefined || log.has(graphs.log, first.changeId);
  }

  async function load(graphs: SpaceGraphs, drafts: readonly Draft[]): Promise<StoredTerms[]> {
    const found = new Map<string, StatementTerms>();
    for (const some of inChunks(drafts, atOnce)) {
      const groups = [true, false].flatMap((inDefault) =>
        [true, false].flatMap((replaces) => {
          const alike = some.filter(({ op, g }) => (op === 'replace') === replaces && (g === undefined) === inDefault);
          return alike.length > 0 ? [groupOf(graphs, alike, inDefault, replaces)] : [];
        }),
      );
      for (const row of await select(`SELECT DISTINCT ?s ?p ?o ?gk { ${groups.join(' UNION ')} }`)) {
        for (const place of statementIn(graphs, {}, row)) found.set(statementKeyOf(place), place);
      }
    }
    const all = [...found.values()];
    const annotations = await reader.annotationsOf(graphs, all);
    return all.map((place) => ({ place, about: annotations.get(nameOf(place)) }));
  }

  return async (graphs, patches, meta, expected) => {
    const drafts = patches.map((patch) => draftOf(patch));
    // The position is known from the last update; after a conflict it is read.
    for (let known = expected === undefined ? lasts.get(graphs.log) : undefined; ; known = undefined) {
      const last = known ?? (await log.head(graphs.log))?.last;
      if (expected !== undefined && expected !== (last ?? 0)) return undefined;
      if (last === undefined) await log.begin(graphs.log);
      const applied = await attempt(graphs, drafts, meta, last ?? 0);
      // An update without changes was not checked against the log, so the assumed position may be stale.
      if (!applied || (known !== undefined && applied.position === last)) continue;
      lasts.set(graphs.log, applied.position);
      return applied;
    }
  };
}

/**
 * A group for those of some statements that exist; for replacements, all with the same subject, predicate and graph.
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

/** A statement in an update. */
function statementQuad(graphs: SpaceGraphs, { s, p, o, g }: StatementTerms): string {
  const triple = `${writeId(s)} ${writeId(p)} ${writeTerm(o)}`;
  const iri = g === '' ? graphs.defaultGraph : graphs.graphIri(g);
  return iri === undefined ? `${triple} .` : `GRAPH <${iri}> { ${triple} }`;
}

const annotationQuads = (graphs: SpaceGraphs, place: StatementTerms, about: Annotations): string =>
  `GRAPH <${graphs.about}> { ${annotationTriples(graphs, place, about)} }`;
