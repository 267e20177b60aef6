/** The order of the site: its sections, and the pages of each. Pages that are not named here follow, sorted by title. */

export interface Section {
  readonly title: string;
  /** Folder below `docs`, or undefined for pages of their own that lie directly in it. */
  readonly folder?: string;
  /** Names of pages, without `.md`, in the order in which they are read. */
  readonly pages: readonly string[];
  /** Whether pages that lie directly in `docs` and have no other section are in this one. */
  readonly rest?: true;
}

export const sections: readonly Section[] = [
  { title: 'Start', pages: ['get-started'] },
  {
    title: 'Guides',
    folder: 'guides',
    pages: [
      'agents',
      'bridge',
      'models',
      'frameworks',
      'clients',
      'grpc',
      'follow-the-specification',
      'mcp',
      'embed',
      'authentication',
      'guards',
      'people',
      'slack',
      'knowledge',
      'knowledge-rules',
      'production',
    ],
  },
  {
    title: 'Concepts',
    folder: 'concepts',
    pages: ['how-it-works', 'lifecycle', 'generations', 'tasks', 'translating'],
  },
  {
    title: 'Operate',
    folder: 'operate',
    pages: [
      'deployment',
      'operations',
      'troubleshooting',
      'console',
      'admin',
      'security',
      'policies',
      'generations',
      'limits',
      'trees',
      'database',
      'replicas',
      'proxies',
      'reloading',
      'registration',
      'push',
      'outbound',
      'tracing',
    ],
  },
  {
    title: 'Reference',
    folder: 'reference',
    pages: ['configuration', 'command-line', 'errors', 'metrics', 'glossary', 'versions'],
  },
  { title: 'Dialects', folder: 'dialects', pages: ['index', 'a2a-1.1', 'a2a-1.0', 'a2a-0.3', 'a2a-0.2', 'a2a-0.1'] },
  {
    title: 'Decisions',
    folder: 'decisions',
    pages: ['index', 'grpc-js', 'connect', 'express', 'databases', 'canonical-form'],
  },
  { title: 'More', pages: ['migrating', 'comparison', 'conformance'], rest: true },
];
