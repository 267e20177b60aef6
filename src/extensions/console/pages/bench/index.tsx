import type { JSX } from 'preact';
import { route } from '../../shell/router.ts';
import { Call } from './call/index.tsx';
import { Translate } from './translation/index.tsx';

/** Calls of any agent in any dialect, and translations of a frame to each dialect. */
export default function BenchPage(): JSX.Element {
  return route.value.query.get('view') === 'translation' ? <Translate /> : <Call />;
}
