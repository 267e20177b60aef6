import type { OwnedTable, PartTable } from '../../../stores/move.ts';

const part = (name: string, ...key: string[]): PartTable => ({ name: `knowledge_${name}`, of: 'space', key });

/** The tables of knowledge, for moving it to another store. A change is always in the log, too. */
export const knowledgeTables: readonly OwnedTable[] = [
  {
    name: 'knowledge_space',
    key: ['agent', 'tenant'],
    numbered: 'id',
    parts: [
      part('term', 'id'),
      part('statement', 's', 'p', 'o', 'g'),
      part('type', 'type', 'entity'),
      part('change', 'seq'),
    ],
  },
];
