// Generated from codegen/versions.ts by `npm run generate`. Do not edit.

import type { Version } from './api.ts';

/** Name of a version of A2A 1.x. */
export type VersionName = 'a2a-1.1' | 'a2a-1.0';

/** The versions of A2A 1.x, newest first. The first is the canonical form. */
export const versions: readonly [Version<VersionName>, ...Version<VersionName>[]] = [
  {
    name: 'a2a-1.1',
    version: '1.1',
    preview: { source: 'branch dev-1.1 of the A2A project', date: '2026-08-12' },
    newer: [],
    image: async () => (await import('./a2a-1.1/image.ts')).image,
  },
  {
    name: 'a2a-1.0',
    version: '1.0',
    newer: ['1.1'],
    image: async () => (await import('./a2a-1.0/image.ts')).image,
  },
];
