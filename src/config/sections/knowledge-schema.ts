import * as z from 'zod';
import { principalIdsNamed } from '../../auth/principals.ts';
import type { AuthSettings } from '../../auth/settings.ts';
import type { AlignmentSettings, ProtectionSettings } from '../../knowledge/alignment/settings.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import type { ReportProblem } from '../resolve.ts';
import { anything, flag, section, text, textAs, timeout } from '../schema-parts.ts';
import { resolveReach } from './resolve-upstream.ts';
import { outboundAuth } from './upstream-schema.ts';
import { expectedUpstreamUrl, readUpstreamUrl } from './upstream-url.ts';

/** What `knowledge` of an agent may hold, before paths are resolved. */

const names = z.array(text('the name of a caller, or its beginning and *'), anything('a list of callers'));

const access = z.record(
  z.string(),
  section('who may read and write', { read: names.optional(), write: names.optional() }),
  anything('rules by the ids that they are for'),
);

const expectedCertainty = 'a number from 0 to 1';

const certainty = z.union([z.number(), z.string()], anything(expectedCertainty)).transform((value, cx) => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && number >= 0 && number <= 1) return number;
  cx.addIssue({ code: 'custom', message: `expected ${expectedCertainty}` });
  return z.NEVER;
});

const expectedProvenance = 'true, false or the keys that provenance must have';

const file = text('the path of a file');

const endpoint = textAs(expectedUpstreamUrl, readUpstreamUrl);

const settings = section('knowledge', {
  shapes: file.optional(),
  rules: file.optional(),
  protected: section('what is protected', { graphs: access.optional(), predicates: access.optional() }).optional(),
  minCertainty: certainty.optional(),
  requireProvenance: z.union([flag, z.array(text('a key of provenance'))], anything(expectedProvenance)).optional(),
  requireJustification: flag.optional(),
  sparql: section('a SPARQL endpoint', {
    query: endpoint,
    update: endpoint,
    auth: outboundAuth.optional(),
    defaultGraph: text('the URI of a graph').optional(),
    timeout: timeout.optional(),
  }).optional(),
  import: z.array(file, anything('a list of files')).optional(),
});

const whole: Readonly<Record<string, object | undefined>> = { true: {}, false: undefined };

/** The key `knowledge` of an agent: `true`, or what the knowledge has to keep to. */
export const knowledge = z
  .preprocess((value) => (String(value) in whole ? whole[String(value)] : value), settings.optional())
  .optional();

type KnowledgeInput = NonNullable<z.output<typeof knowledge>>;

/** A graph database that keeps an agent's knowledge. */
export interface SparqlConfig {
  /** URLs of the endpoints, http or https. */
  readonly query: string;
  readonly update: string;
  readonly auth: OutboundAuthSettings | undefined;
  /** URI of the graph that statements without one are in. */
  readonly defaultGraph: string | undefined;
  /** Milliseconds that one request may take; undefined: as long as the client of endpoints finds right. */
  readonly timeout: number | undefined;
}

/** What an agent knows, and what has to be kept to in changing it. */
export interface KnowledgeConfig {
  readonly alignment: AlignmentSettings;
  /** Undefined: knowledge is kept in the gateway's own store. */
  readonly sparql: SparqlConfig | undefined;
  /** Absolute paths of files (Turtle, N-Triples, N-Quads) that a graph begins with. */
  readonly import: readonly string[];
}

/** Knowledge as the file says it, with absolute paths, and the ids of principals in place of the names of callers. */
export function resolveKnowledge(
  { sparql, import: files = [], shapes, rules, protected: guarded, ...rest }: KnowledgeInput,
  auth: AuthSettings,
  locate: (path: string) => string,
  report: ReportProblem,
): KnowledgeConfig {
  return {
    alignment: {
      ...rest,
      ...(shapes !== undefined && { shapes: locate(shapes) }),
      ...(rules !== undefined && { rules: locate(rules) }),
      ...(guarded && {
        protected: resolveProtection(guarded, auth, (path, message) => report(['protected', ...path], message)),
      }),
    } as AlignmentSettings,
    sparql: sparql && resolveSparql(sparql, locate, (path, message) => report(['sparql', ...path], message)),
    import: files.map(locate),
  };
}

type Guarded = NonNullable<KnowledgeInput['protected']>;

function resolveProtection(guarded: Guarded, auth: AuthSettings, report: ReportProblem): ProtectionSettings {
  const idsOf = (names: readonly string[], path: readonly string[]): string[] =>
    names.flatMap((name, index) => {
      // Every caller.
      if (name === '*') return [name];
      const ids = principalIdsNamed(auth, name);
      if (ids.length === 0) report([...path, String(index)], noCaller(name));
      return ids;
    });
  const resolved = (['graphs', 'predicates'] as const).flatMap((kind) => {
    const rows = guarded[kind];
    if (!rows) return [];
    const entries = Object.entries(rows).map(([id, { read, write }]) => {
      const access = {
        ...(read && { read: idsOf(read, [kind, id, 'read']) }),
        ...(write && { write: idsOf(write, [kind, id, 'write']) }),
      };
      return [id, access] as const;
    });
    return [[kind, Object.fromEntries(entries)] as const];
  });
  return Object.fromEntries(resolved);
}

const noCaller = (name: string): string =>
  `no caller is called "${name}"; expected the name of a configured API key, token client or client certificate, or a principal's id such as jwt:ISSUER#SUBJECT`;

function resolveSparql(
  { query, update, auth, defaultGraph, timeout: ms }: NonNullable<KnowledgeInput['sparql']>,
  locate: (path: string) => string,
  report: ReportProblem,
): SparqlConfig {
  const reach = resolveReach({ url: query, auth }, locate, report);
  if (update.user !== undefined) report(['update'], 'names and passwords are given in the URL for queries, or in auth');
  return { query: reach.url, update: update.url, auth: reach.auth, defaultGraph, timeout: ms };
}
