import * as z from 'zod';
import { noCaller, principalIdsNamed } from '../../auth/principals.ts';
import type { AuthSettings } from '../../auth/settings.ts';
import type { AlignmentConfig, ProtectionConfig } from '../../gen/settings.ts';
import type { OutboundAuthSettings } from '../../net/credentials/outbound-settings.ts';
import { below, type ReportProblem, type ResolveContext } from '../context.ts';
import { missingPackages } from '../packages.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, fraction, section, serverUrl, text, timeout } from '../schema-parts.ts';
import { outboundAuth, resolveTarget, shownCredentials, shownUrlOf } from './outbound-auth.ts';

const names = z.array(text('the name of a caller, or its beginning and *'), anything('a list of callers'));

const access = z
  .record(
    z.string(),
    section('who may read and write', () => ({
      read: names.optional().describe('Callers that may read. Default: all.'),
      write: names.optional().describe('Callers that may write and also read. Default: none.'),
    })).register(schemaFacts, { output: 'AccessConfig' }),
    anything('rules by the ids to which they apply'),
  )
  .describe('Callers that may read and write, by the ids to which the rules apply.')
  .register(schemaFacts, { input: 'KnowledgeAccess' });

const expectedProvenance = 'true, false or the keys that provenance must have';

const file = text('the path of a file');

const endpoint = serverUrl('the http or https URL of a SPARQL endpoint');

export const alignment = section('rules for knowledge', () => ({
  shapes: file.optional().describe('A file of SHACL shapes that the knowledge must conform to.'),
  rules: file.optional().describe('A module whose default export is a rule, or a list of rules.'),
  protected: section('what is protected', () => ({
    graphs: access
      .optional()
      .describe(
        'Rules by the ids of graphs, or prefixes of ids followed by `*`. An empty id stands for the default graph.',
      ),
    predicates: access.optional().describe('Rules by the ids of predicates, or prefixes of ids followed by `*`.'),
  }))
    .register(schemaFacts, { output: 'ProtectionConfig' })
    .optional()
    .describe('Graphs and predicates that only some callers may read or write.'),
  minCertainty: fraction
    .optional()
    .describe(
      'Minimum certainty of statements, from 0 to 1. Statements with less are rejected; a statement without a certainty counts as certain. Default: none.',
    ),
  requireProvenance: z
    .union([flag, z.array(text('a key of provenance'))], anything(expectedProvenance))
    .optional()
    .describe('Whether statements must have a provenance, or the keys that it must have. Default false.'),
  requireJustification: flag.optional().describe('Whether updates must have a justification. Default false.'),
})).register(schemaFacts, { output: 'AlignmentConfig' });

/** The section `knowledge` of an agent. */
export const knowledgeSettings = section('knowledge', () => ({
  ...alignment.shape,
  sparql: section('a SPARQL endpoint', () => ({
    query: endpoint.describe('The URL for queries.'),
    update: endpoint.describe('The URL for updates.'),
    auth: outboundAuth.optional().describe("The gateway's credentials at the database. Default: none."),
    defaultGraph: text('the URI of a graph')
      .optional()
      .describe(
        "URI of the graph that serves as the default graph of callers without a tenant. Default: the database's own.",
      ),
    timeout: timeout.prefault('30s').describe('Time within which a query or an update must end.'),
  }))
    .optional()
    .describe("The graph database that stores the knowledge. Default: the gateway's own store."),
  import: z
    .array(file, anything('a list of files'))
    .prefault([])
    .describe('Files to import into a new graph, in Turtle, N-Triples or N-Quads.'),
})).register(schemaFacts, { input: 'KnowledgeFileSettings' });

/** `knowledge` of an agent: whether it has a knowledge graph, or the rules for it. */
export const knowledge = z.union([flag, knowledgeSettings], {
  error: () => `expected true, false or a mapping with ${Object.keys(knowledgeSettings.shape).join(', ')}`,
});

export type KnowledgeSetting = z.output<typeof knowledge>;

/** Reports packages for an agent's knowledge that are missing, or installed in an unsupported version. */
export function checkKnowledgePackages(setting: KnowledgeSetting, report: ReportProblem): void {
  if (!setting) return;
  const missing = missingPackages('knowledge');
  if (missing !== undefined) report([], missing);
  const hasShapes = typeof setting === 'object' && setting.shapes !== undefined;
  const forShapes = hasShapes ? missingPackages('shapes') : undefined;
  if (forShapes !== undefined) report(['shapes'], forShapes);
}

/** Returns the rules for the setting `knowledge` of an agent. Undefined if the agent has no knowledge. */
export const knowledgeRules = (setting: KnowledgeSetting): KnowledgeInput | undefined =>
  setting === true ? knowledgeSettings.parse({}) : setting || undefined;

type KnowledgeInput = z.output<typeof knowledgeSettings>;
type SparqlInput = NonNullable<KnowledgeInput['sparql']>;

/** An agent's knowledge, and the rules for its changes. */
export interface KnowledgeConfig {
  readonly alignment: AlignmentConfig;
  /** The graph database. Undefined if the gateway's own store keeps the knowledge. */
  readonly sparql: SparqlConfig | undefined;
  /** Absolute paths of files to import into a new graph (Turtle, N-Triples, N-Quads). */
  readonly import: readonly string[];
}

/** Resolves the settings. Names of callers in `protected` are replaced by the ids of their principals. */
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
    } as AlignmentConfig,
    sparql: sparql && resolveSparql(sparql, below(cx, 'sparql')),
    import: files.map(cx.locate),
  };
}

type Protection = NonNullable<KnowledgeInput['protected']>;

function resolveProtection(guarded: Protection, auth: AuthSettings, report: ReportProblem): ProtectionConfig {
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

/** A graph database that stores an agent's knowledge. */
export interface SparqlConfig {
  readonly query: string;
  readonly update: string;
  readonly auth: OutboundAuthSettings | undefined;
  /** URI of the graph that contains statements without a graph of their own. */
  readonly defaultGraph?: string | undefined;
  /** Milliseconds for one request. */
  readonly timeout?: number | undefined;
}

function resolveSparql({ query, update, auth, ...rest }: SparqlInput, cx: ResolveContext): SparqlConfig {
  const target = resolveTarget({ url: query, auth }, cx);
  if (update.user !== undefined)
    cx.report(['update'], 'put the user name and password into the URL of query, or into auth');
  return { ...rest, query: target.url, update: update.url, auth: target.auth };
}

/** Returns the settings of an agent's knowledge in the form of the file. */
export const shownKnowledge = ({ alignment: rules, sparql, import: files }: KnowledgeConfig): object => ({
  ...rules,
  sparql: sparql && {
    ...sparql,
    query: shownUrlOf(sparql.query),
    update: shownUrlOf(sparql.update),
    auth: shownCredentials(sparql.auth),
  },
  import: files,
});
