import type { KnowledgeSpace } from '../../../core/model/knowledge.ts';
import type { DamagedRows } from '../../../core/ports/damaged-rows.ts';
import { type KnowledgeChange, type LogExtent, requireChange, unreadChange } from '../model/graph.ts';
import type { Endpoint } from './endpoint.ts';
import { kg, logIri } from './graphs.ts';
import { numberOf } from './patterns.ts';

/** Changes per request. */
const batch = 1_000;

const range = (first: number, count: number): string => Array.from({ length: count }, (_, i) => first + i).join(' ');

/** A change as triples, named by its id. */
export const changeTriples = (change: KnowledgeChange, text: string): string =>
  `<urn:uuid:${change.changeId}> <${kg}position> ${change.position} ; <${kg}time> ${numberOf(change.at)} ; <${kg}change> ${text} .`;

export type SparqlLog = ReturnType<typeof createSparqlLog>;

/** The change log, stored beside the statements so that both are updated together. A log is named by its IRI. */
export function createSparqlLog({ select, update }: Endpoint, damaged: DamagedRows) {
  /** Undefined: there is no log yet. */
  async function head(log: string): Promise<LogExtent | undefined> {
    const [row] = await select(
      `SELECT ?first ?last { GRAPH <${log}> { <${log}> <${kg}first> ?first ; <${kg}last> ?last } }`,
    );
    return row?.first && row.last && { first: Number(row.first.value), last: Number(row.last.value) };
  }

  const extent = async (space: KnowledgeSpace): Promise<LogExtent> =>
    (await head(logIri(space))) ?? { first: 1, last: 0 };

  async function expireOne(log: string, first: number, last: number, before: number): Promise<number> {
    let next = first;
    while (next <= last) {
      const count = Math.min(batch, last - next + 1);
      const rows = await select(
        `SELECT ?n { VALUES ?n { ${range(next, count)} } GRAPH <${log}> { ?x <${kg}position> ?n ; <${kg}time> ?t } FILTER(?t < ${numberOf(before)}) }`,
      );
      const old = new Set(rows.map(({ n }) => Number(n?.value)));
      const from = next;
      while (old.has(next)) next++;
      if (next === from) break;
      // Moves the start of the log before it deletes.
      await update(
        `DELETE { GRAPH <${log}> { <${log}> <${kg}first> ?f } } INSERT { GRAPH <${log}> { <${log}> <${kg}first> ${next} } } WHERE { GRAPH <${log}> { <${log}> <${kg}first> ?f } FILTER(?f < ${next}) } ;
         DELETE { GRAPH <${log}> { ?x ?k ?v } } WHERE { VALUES ?n { ${range(from, next - from)} } GRAPH <${log}> { ?x <${kg}position> ?n . ?x ?k ?v } }`,
      );
      if (old.size < count) break;
    }
    return next - first;
  }

  return {
    head,
    extent,

    async changes(space: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]> {
      const { first, last } = await extent(space);
      const begin = Math.max(after + 1, first);
      const end = Math.min(begin + limit, last + 1);
      const changes: KnowledgeChange[] = [];
      for (let from = begin; from < end; from += batch) {
        const positions = range(from, Math.min(batch, end - from));
        const rows = await select(
          `SELECT ?n ?c { VALUES ?n { ${positions} } GRAPH <${logIri(space)}> { ?x <${kg}position> ?n ; <${kg}change> ?c } }`,
        );
        for (const { n, c } of rows) {
          if (!c) continue;
          const position = Number(n?.value);
          const read = () => requireChange(JSON.parse(c.value) as KnowledgeChange);
          const change = damaged.read('changes of the graph database', [logIri(space), position], read);
          changes.push(change ?? unreadChange(position, 0));
        }
      }
      return changes.sort((one, other) => one.position - other.position);
    },

    /** Creates the log, unless it exists. */
    begin: (log: string): Promise<void> =>
      update(
        `INSERT { GRAPH <${log}> { <${log}> <${kg}first> 1 ; <${kg}last> 0 } } WHERE { FILTER NOT EXISTS { GRAPH <${log}> { <${log}> <${kg}last> ?n } } }`,
      ),

    async has(log: string, changeId: string): Promise<boolean> {
      const rows = await select(`SELECT ?n { GRAPH <${log}> { <urn:uuid:${changeId}> <${kg}position> ?n } } LIMIT 1`);
      return rows.length > 0;
    },

    /** Deletes changes before a time in the logs of all tenants. */
    async expire(before: number, limit: number): Promise<number> {
      const logs = await select(
        `SELECT ?log ?first ?last { GRAPH ?log { ?log <${kg}first> ?first ; <${kg}last> ?last } FILTER(STRSTARTS(STR(?log), "${logIri({ tenant: '' })}")) }`,
      );
      let expired = 0;
      for (const { log, first, last } of logs) {
        if (!log || !first || !last) continue;
        const [from, to] = [Number(first.value), Number(last.value)];
        expired += await expireOne(log.value, from, Math.min(to, from + limit - expired - 1), before);
      }
      return expired;
    },
  };
}
