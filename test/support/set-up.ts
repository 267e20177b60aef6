import { afterAll, afterEach, vi } from 'vitest';
import { removeFolders } from './folders.ts';
import './offline.ts';
import './patience.ts';
import { cleanUp } from './peer.ts';

// vitest runs this for each file of tests, but what it imports once in each of its processes: hooks belong here.
afterEach(async () => {
  await cleanUp();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
afterAll(removeFolders);
