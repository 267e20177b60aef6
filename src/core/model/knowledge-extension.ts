/**
 * The extension by which v1 cards say that an agent has a knowledge graph: `capabilities.knowledgeGraph` and
 * `knowledgeGraphQueryLanguages` of older cards. Its params are `KnowledgeExtensionParams`. Nothing needs to be activated.
 */
export const knowledgeExtension = 'urn:a2a-gateway-extension:knowledge-graph';

/** The params of the extension. */
export interface KnowledgeExtensionParams {
  /** Names of query languages, such as `graphql`. */
  readonly queryLanguages: readonly string[];
}

/** A card's extension, as far as it matters here. */
interface Declared {
  readonly uri?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The query languages that a card tells of; undefined where it tells of no knowledge graph. */
export function queryLanguagesOf(extensions: readonly Declared[] = []): readonly string[] | undefined {
  const found = extensions.find(({ uri }) => uri === knowledgeExtension);
  if (!found) return undefined;
  const languages = found.params?.queryLanguages;
  return Array.isArray(languages) ? languages.filter((name) => typeof name === 'string') : [];
}
