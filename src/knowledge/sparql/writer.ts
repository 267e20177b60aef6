import { newId } from '../../core/model/ids.ts';
import type {
  AppliedUpdate,
  ChangeMeta,
  KnowledgeChange,
  KnowledgePatch,
  KnowledgeSpace,
} from '../../core/model/knowledge.ts';
import type { Term } from '../../core/model/knowledge-terms.ts';
import type { StatementRow } from '../../stores/knowledge/rows.ts';
import { TermSet } from '../../stores/knowledge/terms.ts';
import { type Draft, draftOf } from '../../stores/knowledge/write/drafts.ts';
import { type PatchEffect, WorkingSet } from '../../stores/knowledge/write/working-set.ts';
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
import { graphsOf, kg, type SpaceGraphs } from './graphs.ts';
import { changeTriples, type SparqlLog } from './log.ts';
import type { SparqlReader } from './reader.ts';
import { canonical, termFrom, writeId, writeTerm, writeText } from './terms.ts';

/** Statements and groups per request. */
const atOnce = 300;

/** Result of an attempt; `lost` if a concurrent update came first. */
type WriteAttempt = AppliedUpdate | 'lost';

export interface SparqlWriterDeps {
  readonly endpoint: Endpoint;
  readonly reader: SparqlReader;
  readonly log: SparqlLog;
  readonly defaultGraph: string | undefined;
}

/** A stored statement, with its annotations. */
interface StoredTerms {
  /** As the engine returns it. */
  readonly place: StatementTerms;
  readonly about: Annotations | undefined;
}

const placeOf = ({ s, p, o, g }: Draft): StatementTerms => ({ s: s.text, p: p.text, o, g: g?.text ?? '' });

/** The draft with its canonical literal, by which the engine identifies it. */
const asEngineHas = (draft: Draft): Draft => ({ ...draft, o: canonical(draft.o) });

/**
 * Applies patches by one SPARQL update. The triples to delete and insert are computed here, and the update takes effect
 * only if the log is still at the same position. So an update and its changes in the log are applied atomically,
 * despite concurrent gateways and crashes.
 */
export class SparqlWriter {
  readonly #deps: SparqlWriterDeps;
  /** Last known positions, by the IRIs of the logs. */
  readonly #lasts = new Map<string, number>();

  constructor(deps: SparqlWriterDeps) {
    this.#deps = deps;
  }

  /** Undefined: the space is not at the expected position. Rejects with `invalidParams` for what cannot be stored. */
  async apply(
    space: KnowledgeSpace,
    patches: readonly KnowledgePatch[],
    meta: ChangeMeta,
    expected: number | undefined,
  ): Promise<AppliedUpdate | undefined> {
    const drafts = patches.map((patch) => draftOf(patch));
    const places = graphsOf(space, this.#deps.defaultGraph);
    // The position is known from the last update; after a conflict it is read.
    for (let known = expected === undefined ? this.#lasts.get(places.log) : undefined; ; known = undefined) {
      const last = known ?? (await this.#deps.log.head(places))?.last;
      if (expected !== undefined && expected !== (last ?? 0)) return undefined;
      if (last === undefined) await this.#deps.log.begin(places);
      const done = await this.#attempt(places, drafts, meta, last ?? 0);
      // An update without changes was not checked against the log, so the assumed position may be stale.
      if (done === 'lost' || (known !== undefined && done.position === last)) continue;
      this.#lasts.set(places.log, done.position);
      return done;
    }
  }

  async #attempt(places: SpaceGraphs, drafts: readonly Draft[], meta: ChangeMeta, last: number): Promise<WriteAttempt> {
    const stored = await this.#load(places, drafts);
    const terms = new TermSet(1);
    const set = new WorkingSet(terms);
    const engineTerms = new Map<string, StoredTerms>();
    for (const each of stored) {
      const { place, about } = each;
      engineTerms.set(statementKeyOf(place), each);
      set.load(rowFrom({ ...place, o: canonical(place.o) }, about, terms));
    }
    const written = new Map<string, Term>();
    const changes: KnowledgeChange[] = [];
    const sum = { added: 0, removed: 0, renewed: 0 };
    const affected = new Set<string>();
    const at = Date.now();
    for (const draft of drafts) {
      const effect = set.apply(asEngineHas(draft), at);
      if (draft.op !== 'remove') written.set(statementKeyOf(placeOf(draft)), draft.o);
      if (!effect) continue;
      sum.added += effect.added;
      sum.removed += effect.removed;
      sum.renewed += effect.renewed;
      affected.add(effect.statement.subject.id);
      changes.push(changeOf(draft, effect, last + changes.length + 1, at, meta));
    }
    const update = { ...sum, affectedIds: [...affected], position: last + changes.length };
    const { written: rows, deleted } = set.difference();
    if (rows.length + deleted.length === 0) return update;
    const placeFrom = ({ s, p, o, g }: StatementRow): StatementTerms => ({
      s: terms.get(s).text,
      p: terms.get(p).text,
      o: terms.get(o),
      g: g === 0 ? '' : terms.get(g).text,
    });
    const [out, into] = [new UpdateScript(places), new UpdateScript(places)];
    for (const row of [...deleted, ...rows]) {
      const before = engineTerms.get(statementKeyOf(placeFrom(row)));
      if (before?.about) out.about(before.place, before.about);
    }
    for (const row of deleted) {
      const place = placeFrom(row);
      out.statement(engineTerms.get(statementKeyOf(place))?.place ?? place);
    }
    for (const row of rows) {
      const place = placeFrom(row);
      const there = engineTerms.get(statementKeyOf(place))?.place;
      const given = written.get(statementKeyOf(place));
      if (!there) into.statement({ ...place, o: given ?? place.o });
      const differs = given !== undefined && given.datatype !== '';
      into.about(there ?? { ...place, o: given ?? place.o }, annotationsFrom(row, terms, differs ? given : undefined));
    }
    return (await this.#write(places, out, into, changes, last)) ? update : 'lost';
  }

  /** Whether it took effect. An update that changes only times is not logged, and always takes effect. */
  async #write(
    places: SpaceGraphs,
    out: UpdateScript,
    into: UpdateScript,
    changes: readonly KnowledgeChange[],
    last: number,
  ): Promise<boolean> {
    const { log } = places;
    const head = (position: number) => `GRAPH <${log}> { <${log}> <${kg}last> ${position} }`;
    const next = last + changes.length;
    const logged = changes.map((change) => changeTriples(change, writeText(JSON.stringify(change)))).join('\n');
    const moved = next === last ? ['', ''] : [head(last), `${head(next)} GRAPH <${log}> { ${logged} }`];
    const [first] = changes;
    const { endpoint, log: changeLog } = this.#deps;
    const update = `DELETE { ${out.text} ${moved[0]} } INSERT { ${into.text} ${moved[1]} } WHERE { ${head(last)} }`;
    try {
      await endpoint.update(update);
    } catch (error) {
      // Perhaps only the response was lost.
      if (first && (await changeLog.has(places, first.changeId).catch(() => false))) return true;
      throw error;
    }
    return first === undefined || changeLog.has(places, first.changeId);
  }

  /** Loads the statements that the drafts refer to. */
  async #load(places: SpaceGraphs, drafts: readonly Draft[]): Promise<StoredTerms[]> {
    const found = new Map<string, StatementTerms>();
    for (let from = 0; from < drafts.length; from += atOnce) {
      for (const place of await this.#loadSome(places, drafts.slice(from, from + atOnce))) {
        found.set(statementKeyOf(place), place);
      }
    }
    const all = [...found.values()];
    const about = await this.#deps.reader.about(places, all);
    return all.map((place) => ({ place, about: about.get(nameOf(place)) }));
  }

  async #loadSome(places: SpaceGraphs, drafts: readonly Draft[]): Promise<StatementTerms[]> {
    const groups: string[] = [];
    for (const inDefault of [true, false]) {
      for (const replaces of [true, false]) {
        const some = drafts.filter(({ op, g }) => (op === 'replace') === replaces && (g === undefined) === inDefault);
        if (some.length > 0) groups.push(groupOf(places, some, inDefault, replaces));
      }
    }
    const rows = await this.#deps.endpoint.select(`SELECT DISTINCT ?s ?p ?o ?g { ${groups.join(' UNION ')} }`);
    return rows.flatMap(({ s, p, o, g }) => {
      const [subject, predicate, object] = [s && termFrom(s), p && termFrom(p), o && termFrom(o)];
      if (!subject || !predicate || !object) return [];
      return [{ s: subject.text, p: predicate.text, o: object, g: g ? places.graphFrom(g.value) : '' }];
    });
  }
}

/**
 * A group for those of some statements that exist; for replacements, all with the same subject, predicate and graph.
 */
function groupOf(places: SpaceGraphs, drafts: readonly Draft[], inDefault: boolean, replaces: boolean): string {
  const { defaultGraph } = places;
  const variables = ['?s', '?p', ...(replaces ? [] : ['?o']), ...(inDefault ? [] : ['?g'])];
  const rows = drafts.map(({ s, p, o, g }) => {
    const terms = [writeId(s.text), writeId(p.text)];
    if (!replaces) terms.push(writeTerm(o));
    if (g) terms.push(`<${places.graphIri(g.text)}>`);
    return `(${terms.join(' ')})`;
  });
  const values = `VALUES (${variables.join(' ')}) { ${[...new Set(rows)].join(' ')} }`;
  const unnamed = defaultGraph === undefined ? '?s ?p ?o' : `GRAPH <${defaultGraph}> { ?s ?p ?o }`;
  return `{ ${values} ${inDefault ? unnamed : 'GRAPH ?g { ?s ?p ?o }'} }`;
}

const changeOf = (
  { op }: Draft,
  { statement, replaced }: PatchEffect,
  position: number,
  at: number,
  meta: ChangeMeta,
): KnowledgeChange => ({
  position,
  changeId: newId(at),
  at,
  op,
  statement,
  ...(replaced.length > 0 && { replaced }),
  meta,
});

/** The triples that an update deletes, or inserts. */
class UpdateScript {
  readonly #places: SpaceGraphs;
  readonly #lines: string[] = [];

  constructor(places: SpaceGraphs) {
    this.#places = places;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  statement({ s, p, o, g }: StatementTerms): void {
    const said = `${writeId(s)} ${writeId(p)} ${writeTerm(o)}`;
    const { defaultGraph } = this.#places;
    const iri = g === '' ? defaultGraph : this.#places.graphIri(g);
    this.#lines.push(iri === undefined ? `${said} .` : `GRAPH <${iri}> { ${said} }`);
  }

  about(place: StatementTerms, about: Annotations): void {
    this.#lines.push(`GRAPH <${this.#places.about}> { ${annotationTriples(this.#places, place, about)} }`);
  }
}
