/** File formats of statements. `jsonl` is lossless; the others lose everything that RDF cannot express. */
export const knowledgeFormats = ['nquads', 'ntriples', 'turtle', 'trig', 'jsonl'] as const;

export type KnowledgeFormat = (typeof knowledgeFormats)[number];

/** Formats by file extension. */
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

/** Returns the format of a file by its extension; undefined if the extension is unknown. */
export function formatOf(path: string): KnowledgeFormat | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(path) ?? [];
  const name = extension.toLowerCase();
  return Object.hasOwn(extensions, name) ? extensions[name] : undefined;
}
