import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import { removeFolders } from './folders.ts';
import './offline.ts';
import './wait-timeout.ts';
import { paced } from './pace.ts';
import { beginTest, cleanUp } from './peer.ts';

// vitest runs this for each file of tests, but what it imports once in each of its processes: hooks belong here.
beforeEach(beginTest);
afterEach(async () => {
  vi.useRealTimers();
  await cleanUp('test');
  vi.unstubAllEnvs();
});
// These run from the last to the first. A clone with its packages has 26,000 files, which a busy disk takes minutes to remove.
afterAll(removeFolders, paced(300_000));
afterAll(() => cleanUp('file'));
