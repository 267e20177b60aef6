/** File formats of statements. `jsonl` is lossless; the others lose what RDF has no place for. */
export const knowledgeFormats = ['nquads', 'ntriples', 'turtle', 'trig', 'jsonl'] as const;

export type KnowledgeFormat = (typeof knowledgeFormats)[number];

/** By file name extension. */
const extensions: Readonly<Record<string, KnowledgeFormat>> = {
  nq: 'nquads',
  nquads: 'nquads',
  nt: 'ntriples',
  ttl: 'turtle',
  turtle: 'turtle',
  trig: 'trig',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
};

/** The format of a file by its extension; undefined if unknown. */
export function formatOf(path: string): KnowledgeFormat | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(path) ?? [];
  const name = extension.toLowerCase();
  return Object.hasOwn(extensions, name) ? extensions[name] : undefined;
}
