import { queryErrorsType } from '../../core/model/errors.ts';
import { fields } from '../../gen/knowledge-v1/fields.ts';
import type { Coded } from '../../wire/protobuf.ts';

/** Extensions of A2A that cards and errors of several dialects have members of their own for: one row each. */

/** An extension that cards before A2A 1.0 have as members of their capabilities. */
export interface FlaggedExtension {
  /** Its name among the facts that are preserved of a card. */
  readonly name: string;
  /** Its URI in v1 cards. It needs no activation. */
  readonly uri: string;
  /** The member that says whether an agent has the extension. */
  readonly flag: string;
  /** A member with a list of names, and the param of the extension in v1 cards that has this list. */
  readonly list: string;
  readonly param: string;
  /** The extension, as pages about dialects name it. */
  readonly title: string;
}

/** The knowledge graph extension, section 1. */
export const knowledgeGraph = {
  name: 'knowledge',
  uri: 'urn:a2a-gateway-extension:knowledge-graph',
  flag: 'knowledgeGraph',
  list: 'knowledgeGraphQueryLanguages',
  param: 'queryLanguages',
  title: 'the knowledge graph extension',
} as const satisfies FlaggedExtension;

export const flaggedExtensions = [knowledgeGraph] as const;

/** Codecs of the details that errors of extensions have, by type URL. */
export const extensionDetails: Readonly<Record<string, Coded>> = { [queryErrorsType]: { fields } };
