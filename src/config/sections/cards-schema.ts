import * as z from 'zod';
import { api } from '../../core/model/a2a.ts';
import type { DialectName } from '../../dialects/kernel/dialect.ts';
import { createDialects } from '../../dialects/kernel/registry.ts';
import { anything, oneOf, section } from '../schema-parts.ts';

/** What `cards` may hold besides keys, for all agents and for each: which interfaces cards list. */

/** A binding as cards call it. */
export type ListedBinding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

/** Which interfaces cards list. */
export interface CardListing {
  /** Bindings of every dialect; undefined: all that there are. */
  readonly interfaces?: readonly ListedBinding[] | undefined;
  /** Bindings of one dialect, where not as of the others. */
  readonly dialects?:
    | Readonly<Partial<Record<DialectName, { readonly interfaces: readonly ListedBinding[] }>>>
    | undefined;
}

const names = createDialects(api).list.map(({ name }) => name) as [DialectName, ...DialectName[]];
const expected = 'a list of JSONRPC, HTTP+JSON and GRPC, at least one';
const interfaces = z.array(oneOf('JSONRPC', 'HTTP+JSON', 'GRPC'), anything(expected)).min(1, anything(expected));

/** The keys of `cards` that every agent may have too. */
export const listing = {
  interfaces: interfaces.optional().describe('which bindings cards list'),
  dialects: z
    .partialRecord(z.enum(names), section('what cards list of a dialect', { interfaces }), anything('dialects by name'))
    .optional()
    .describe('which bindings cards list of one dialect'),
};

/** `cards` of an agent. */
export const agentCards = section('what the cards of the agent list', listing);
