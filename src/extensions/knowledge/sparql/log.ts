import type { DamagedRows } from '../../../core/ports/damaged-rows.ts';
import { type KnowledgeChange, type LogExtent, requireChange, unreadChange } from '../model/graph.ts';
import type { KnowledgeSpace } from '../model/knowledge.ts';
import type { Endpoint } from './endpoint.ts';
import { kg, logIri } from './graphs.ts';
import { numberOf } from './patterns.ts';

/** Maximum number of changes per request. */
const batch = 1_000;

const range = (first: number, count: number): string => Array.from({ length: count }, (_, i) => first + i).join(' ');

/** Returns a change as triples. The subject is the change's id. */
export const changeTriples = (change: KnowledgeChange, text: string): string =>
  `<urn:uuid:${change.changeId}> <${kg}position> ${change.position} ; <${kg}time> ${numberOf(change.at)} ; <${kg}change> ${text} .`;

/**
 * The change log, stored in the same database as the statements so that one update changes both. A log is named by its
 * IRI.
 */
export class SparqlLog {
  readonly #select: Endpoint['select'];
  readonly #update: Endpoint['update'];
  readonly #damaged: DamagedRows;

  constructor({ select, update }: Endpoint, damaged: DamagedRows) {
    this.#select = select;
    this.#update = update;
    this.#damaged = damaged;
  }

  /** Returns the extent of the log; undefined if there is no log yet. */
  async head(log: string): Promise<LogExtent | undefined> {
    const [row] = await this.#select(
      `SELECT ?first ?last { GRAPH <${log}> { <${log}> <${kg}first> ?first ; <${kg}last> ?last } }`,
    );
    return row?.first && row.last && { first: Number(row.first.value), last: Number(row.last.value) };
  }

  async extent(space: KnowledgeSpace): Promise<LogExtent> {
    return (await this.head(logIri(space))) ?? { first: 1, last: 0 };
  }

  async changes(space: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]> {
    const { first, last } = await this.extent(space);
    const begin = Math.max(after + 1, first);
    const end = Math.min(begin + limit, last + 1);
    const changes: KnowledgeChange[] = [];
    for (let from = begin; from < end; from += batch) {
      const positions = range(from, Math.min(batch, end - from));
      const rows = await this.#select(
        `SELECT ?n ?c { VALUES ?n { ${positions} } GRAPH <${logIri(space)}> { ?x <${kg}position> ?n ; <${kg}change> ?c } }`,
      );
      for (const { n, c } of rows) {
        if (!c) continue;
        const position = Number(n?.value);
        const read = () => requireChange(JSON.parse(c.value) as KnowledgeChange);
        const change = this.#damaged.read('changes of the graph database', [logIri(space), position], read);
        changes.push(change ?? unreadChange(position, 0));
      }
    }
    return changes.sort((one, other) => one.position - other.position);
  }

  /** Creates the log unless it exists. */
  begin(log: string): Promise<void> {
    return this.#update(
      `INSERT { GRAPH <${log}> { <${log}> <${kg}first> 1 ; <${kg}last> 0 } } WHERE { FILTER NOT EXISTS { GRAPH <${log}> { <${log}> <${kg}last> ?n } } }`,
    );
  }

  async has(log: string, changeId: string): Promise<boolean> {
    const rows = await this.#select(
      `SELECT ?n { GRAPH <${log}> { <urn:uuid:${changeId}> <${kg}position> ?n } } LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** Deletes changes before a time from the logs of all tenants. */
  async expire(before: number, limit: number): Promise<number> {
    const logs = await this.#select(
      `SELECT ?log ?first ?last { GRAPH ?log { ?log <${kg}first> ?first ; <${kg}last> ?last } FILTER(STRSTARTS(STR(?log), "${logIri({ tenant: '' })}")) }`,
    );
    let expired = 0;
    for (const { log, first, last } of logs) {
      if (!log || !first || !last) continue;
      const from = Number(first.value);
      expired += await this.#expireOne(
        log.value,
        from,
        Math.min(Number(last.value), from + limit - expired - 1),
        before,
      );
    }
    return expired;
  }

  async #expireOne(log: string, first: number, last: number, before: number): Promise<number> {
    let next = first;
    while (next <= last) {
      const count = Math.min(batch, last - next + 1);
      const rows = await this.#select(
        `SELECT ?n { VALUES ?n { ${range(next, count)} } GRAPH <${log}> { ?x <${kg}position> ?n ; <${kg}time> ?t } FILTER(?t < ${numberOf(before)}) }`,
      );
      const old = new Set(rows.map(({ n }) => Number(n?.value)));
      const from = next;
      while (old.has(next)) next++;
      if (next === from) break;
      // The log's start is moved before changes are deleted.
      await this.#update(
        `DELETE { GRAPH <${log}> { <${log}> <${kg}first> ?f } } INSERT { GRAPH <${log}> { <${log}> <${kg}first> ${next} } } WHERE { GRAPH <${log}> { <${log}> <${kg}first> ?f } FILTER(?f < ${next}) } ;
         DELETE { GRAPH <${log}> { ?x ?k ?v } } WHERE { VALUES ?n { ${range(from, next - from)} } GRAPH <${log}> { ?x <${kg}position> ?n . ?x ?k ?v } }`,
      );
      if (old.size < count) break;
    }
    return next - first;
  }
}
