import type { KnowledgeChange, KnowledgeSpace, LogExtent } from '../../core/model/knowledge.ts';
import type { Endpoint } from './endpoint.ts';
import { graphsOf, kg, logPrefix, type SpaceGraphs } from './graphs.ts';
import { numberOf } from './patterns.ts';

/** Changes per request. */
const batch = 1_000;

const range = (first: number, count: number): string => Array.from({ length: count }, (_, i) => first + i).join(' ');

/** A change as triples, named by its id. */
export const changeTriples = (change: KnowledgeChange, text: string): string =>
  `<urn:uuid:${change.changeId}> <${kg}position> ${change.position} ; <${kg}time> ${numberOf(change.at)} ; <${kg}change> ${text} .`;

/** The change log, stored beside the statements so that both are updated together. */
export class SparqlLog {
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  async changes(space: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]> {
    const { first, last } = await this.extent(space);
    const begin = Math.max(after + 1, first);
    const count = Math.min(limit, last - begin + 1);
    if (count <= 0) return [];
    const { log } = graphsOf(space, undefined);
    const changes: KnowledgeChange[] = [];
    for (let from = begin; from < begin + count; from += batch) {
      const positions = range(from, Math.min(batch, begin + count - from));
      const rows = await this.#endpoint.select(
        `SELECT ?c { VALUES ?n { ${positions} } GRAPH <${log}> { ?x <${kg}position> ?n ; <${kg}change> ?c } }`,
      );
      for (const { c } of rows) if (c) changes.push(JSON.parse(c.value) as KnowledgeChange);
    }
    return changes.sort((one, other) => one.position - other.position);
  }

  async extent(space: KnowledgeSpace): Promise<LogExtent> {
    return (await this.head(graphsOf(space, undefined))) ?? { first: 1, last: 0 };
  }

  /** Undefined: there is no log yet. */
  async head({ log }: Pick<SpaceGraphs, 'log'>): Promise<LogExtent | undefined> {
    const [row] = await this.#endpoint.select(
      `SELECT ?first ?last { GRAPH <${log}> { <${log}> <${kg}first> ?first ; <${kg}last> ?last } }`,
    );
    return row?.first && row.last && { first: Number(row.first.value), last: Number(row.last.value) };
  }

  /** Creates the log, unless it exists. */
  async begin({ log }: Pick<SpaceGraphs, 'log'>): Promise<void> {
    await this.#endpoint.update(
      `INSERT { GRAPH <${log}> { <${log}> <${kg}first> 1 ; <${kg}last> 0 } } WHERE { FILTER NOT EXISTS { GRAPH <${log}> { <${log}> <${kg}last> ?n } } }`,
    );
  }

  /** Whether a change is in the log. */
  async has({ log }: Pick<SpaceGraphs, 'log'>, changeId: string): Promise<boolean> {
    const rows = await this.#endpoint.select(
      `SELECT ?n { GRAPH <${log}> { <urn:uuid:${changeId}> <${kg}position> ?n } } LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** Deletes changes before a time in the logs of all tenants. */
  async expire(before: number, limit: number): Promise<number> {
    const logs = await this.#endpoint.select(
      `SELECT ?log ?first ?last { GRAPH ?log { ?log <${kg}first> ?first ; <${kg}last> ?last } FILTER(STRSTARTS(STR(?log), "${logPrefix}")) }`,
    );
    let forgotten = 0;
    for (const { log, first, last } of logs) {
      if (!log || !first || !last) continue;
      const [from, to] = [Number(first.value), Number(last.value)];
      forgotten += await this.#expireOne(log.value, from, Math.min(to, from + limit - forgotten - 1), before);
    }
    return forgotten;
  }

  async #expireOne(log: string, first: number, last: number, before: number): Promise<number> {
    let next = first;
    while (next <= last) {
      const positions = range(next, Math.min(batch, last - next + 1));
      const rows = await this.#endpoint.select(
        `SELECT ?n { VALUES ?n { ${positions} } GRAPH <${log}> { ?x <${kg}position> ?n ; <${kg}time> ?t } FILTER(?t < ${numberOf(before)}) }`,
      );
      const old = new Set(rows.map(({ n }) => Number(n?.value)));
      const from = next;
      while (old.has(next)) next++;
      if (next === from) break;
      const gone = range(from, next - from);
      // Moves the start of the log before it deletes.
      await this.#endpoint.update(
        `DELETE { GRAPH <${log}> { <${log}> <${kg}first> ?f } } INSERT { GRAPH <${log}> { <${log}> <${kg}first> ${next} } } WHERE { GRAPH <${log}> { <${log}> <${kg}first> ?f } FILTER(?f < ${next}) } ;
         DELETE { GRAPH <${log}> { ?x ?k ?v } } WHERE { VALUES ?n { ${gone} } GRAPH <${log}> { ?x <${kg}position> ?n . ?x ?k ?v } }`,
      );
      if (old.size < positions.split(' ').length) break;
    }
    return next - first;
  }
}
