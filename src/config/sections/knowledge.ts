import * as z from 'zod';
import { principalIdsNamed } from '../../auth/principals.ts';
import type { AuthSettings } from '../../auth/settings.ts';
import type { AlignmentSettings, ProtectionSettings } from '../../knowledge/alignment/settings.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import { readUrlWithUser } from '../addresses.ts';
import { below, type ReportProblem, type ResolveContext } from '../context.ts';
import { anything, flag, fraction, section, text, textAs, timeout } from '../schema-parts.ts';
import { outboundAuth, resolveTarget } from './outbound-auth.ts';

const names = z.array(text('the name of a caller, or its beginning and *'), anything('a list of callers'));

const access = z.record(
  z.string(),
  section('who may read and write', { read: names.optional(), write: names.optional() }),
  anything('rules by the ids that they are for'),
);

const expectedProvenance = 'true, false or the keys that provenance must have';

const file = text('the path of a file');

const endpoint = textAs('the http or https URL of a SPARQL endpoint', readUrlWithUser);

const settings = section('knowledge', {
  shapes: file.optional(),
  rules: file.optional(),
  protected: section('what is protected', { graphs: access.optional(), predicates: access.optional() }).optional(),
  minCertainty: fraction.optional(),
  requireProvenance: z.union([flag, z.array(text('a key of provenance'))], anything(expectedProvenance)).optional(),
  requireJustification: flag.optional(),
  sparql: section('a SPARQL endpoint', {
    query: endpoint,
    update: endpoint,
    auth: outboundAuth.optional(),
    defaultGraph: text('the URI of a graph').optional(),
    timeout: timeout.optional(),
  }).optional(),
  import: z.array(file, anything('a list of files')).default([]),
});

const ofFlags: Readonly<Record<string, object | undefined>> = { true: {}, false: undefined };

/** `knowledge` of an agent: `true`, or the rules for its knowledge. */
export const knowledge = z
  .preprocess(
    (value: boolean | z.input<typeof settings>) => (String(value) in ofFlags ? ofFlags[String(value)] : value),
    settings.optional(),
  )
  .optional();

type KnowledgeInput = NonNullable<z.output<typeof knowledge>>;
type SparqlInput = NonNullable<KnowledgeInput['sparql']>;

/** An agent's knowledge, and the rules for its changes. */
export interface KnowledgeConfig {
  readonly alignment: AlignmentSettings;
  /** Undefined: knowledge is kept in the gateway's own store. */
  readonly sparql: SparqlConfig | undefined;
  /** Absolute paths of files (Turtle, N-Triples, N-Quads) that a new graph is filled from. */
  readonly import: readonly string[];
}

/** @param auth the callers that `protected` may name: their principal ids replace the names */
export function resolveKnowledge(
  { sparql, import: files, shapes, rules, protected: guarded, ...rest }: KnowledgeInput,
  auth: AuthSettings,
  cx: ResolveContext,
): KnowledgeConfig {
  return {
    alignment: {
      ...rest,
      ...(shapes !== undefined && { shapes: cx.locate(shapes) }),
      ...(rules !== undefined && { rules: cx.locate(rules) }),
      ...(guarded && { protected: resolveProtection(guarded, auth, below(cx, 'protected').report) }),
    } as AlignmentSettings,
    sparql: sparql && resolveSparql(sparql, below(cx, 'sparql')),
    import: files.map(cx.locate),
  };
}

type Protection = NonNullable<KnowledgeInput['protected']>;

function resolveProtection(guarded: Protection, auth: AuthSettings, report: ReportProblem): ProtectionSettings {
  const idsOf = (name: string, path: readonly string[]): string[] => {
    if (name === '*') return [name];
    const ids = principalIdsNamed(auth, name);
    if (ids.length === 0) report(path, noCaller(name));
    return ids;
  };
  const mapped = <T extends object>(value: T, map: (value: NonNullable<T[keyof T]>, key: string) => unknown): object =>
    Object.fromEntries(Object.entries(value).flatMap(([key, each]) => (each ? [[key, map(each, key)]] : [])));
  return mapped(guarded, (rules, kind) =>
    mapped(rules, (rights, id) =>
      mapped(rights, (names, right) => names.flatMap((name, index) => idsOf(name, [kind, id, right, String(index)]))),
    ),
  );
}

const noCaller = (name: string): string =>
  `no caller is called "${name}"; expected the name of a configured API key, token client or client certificate, or a principal's id such as jwt:ISSUER#SUBJECT`;

/** A graph database that keeps an agent's knowledge. */
export interface SparqlConfig {
  /** URL for queries. */
  readonly query: string;
  /** URL for updates. */
  readonly update: string;
  readonly auth: OutboundAuthSettings | undefined;
  /** URI of the graph that holds statements without a graph of their own. */
  readonly defaultGraph?: string | undefined;
  /** Milliseconds that one request may take. */
  readonly timeout?: number | undefined;
}

function resolveSparql({ query, update, auth, ...rest }: SparqlInput, cx: ResolveContext): SparqlConfig {
  const target = resolveTarget({ url: query, auth }, cx);
  if (update.user !== undefined) cx.report(['update'], 'put the name and password into the URL of query, or into auth');
  return { ...rest, query: target.url, update: update.url, auth: target.auth };
}
