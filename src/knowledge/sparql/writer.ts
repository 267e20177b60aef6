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

/** Statements and groups of statements that one request asks for. */
const atOnce = 300;

/** What came of an attempt: `lost` when somebody else wrote first. */
type WriteAttempt = AppliedUpdate | 'lost';

export interface SparqlWriterDeps {
  readonly endpoint: Endpoint;
  readonly reader: SparqlReader;
  readonly log: SparqlLog;
  readonly defaultGraph: string | undefined;
}

/** A statement that is there, with what hangs on it. */
interface StoredTerms {
  /** As the engine has it. */
  readonly place: StatementTerms;
  readonly about: Annotations | undefined;
}

const placeOf = ({ s, p, o, g }: Draft): StatementTerms => ({ s: s.text, p: p.text, o, g: g?.text ?? '' });

/** The draft with its literal as one of those with its value, by which the engine knows it. */
const asEngineHas = (draft: Draft): Draft => ({ ...draft, o: canonical(draft.o) });

/**
 * Applies patches by one update: what is to be deleted and inserted is worked out here, from what is there, and carried
 * out only if the log is still where it was, in the same operation. So an update is there as a whole, with its changes
 * in the log, or not at all, whoever else writes through a gateway, and whenever one dies.
 */
export class SparqlWriter {
  readonly #deps: SparqlWriterDeps;
  /** Positions of the last changes, by the logs' IRIs. */
  readonly #lasts = new Map<string, number>();

  constructor(deps: SparqlWriterDeps) {
    this.#deps = deps;
  }

  /** Undefined: the space is not where it was expected to be. Rejects with `invalidParams` for what cannot be stored. */
  async apply(
    space: KnowledgeSpace,
    patches: readonly KnowledgePatch[],
    meta: ChangeMeta,
    expected: number | undefined,
  ): Promise<AppliedUpdate | undefined> {
    const drafts = patches.map((patch) => draftOf(patch));
    const places = graphsOf(space, this.#deps.defaultGraph);
    // Where the log is, is known from the last update: where somebody else wrote since, it is looked up.
    for (let known = expected === undefined ? this.#lasts.get(places.log) : undefined; ; known = undefined) {
      const last = known ?? (await this.#deps.log.head(places))?.last;
      if (expected !== undefined && expected !== (last ?? 0)) return undefined;
      if (last === undefined) await this.#deps.log.begin(places);
      const done = await this.#attempt(places, drafts, meta, last ?? 0);
      // What changed nothing did not meet the log, and may have been judged by what it was.
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

  /** Whether it was carried out. What changes no more than times is not in the log, and is carried out in any case. */
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
      // Only the answer may have got lost.
      if (first && (await changeLog.has(places, first.changeId).catch(() => false))) return true;
      throw error;
    }
    return first === undefined || changeLog.has(places, first.changeId);
  }

  /** Everything that the drafts have to do with. */
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

/** Those of some statements that are there; of replacements, all with the same subject, predicate and graph. */
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

/** What an update deletes, or inserts. */
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
