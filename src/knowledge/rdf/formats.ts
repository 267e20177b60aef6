/** How statements are written in files. `jsonl` loses nothing; what RDF has no place for is lost in the others. */
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

/** What a file of this name holds; undefined where its name does not say. */
export function formatOf(path: string): KnowledgeFormat | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(path) ?? [];
  const name = extension.toLowerCase();
  return Object.hasOwn(extensions, name) ? extensions[name] : undefined;
}

/** N3's name of a format of RDF. */
export const rdfNames: Readonly<Record<Exclude<KnowledgeFormat, 'jsonl'>, string>> = {
  nquads: 'N-Quads',
  ntriples: 'N-Triples',
  turtle: 'Turtle',
  trig: 'TriG',
};
