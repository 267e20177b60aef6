import type { JSX } from 'preact';
import { route } from '../../shell/router.ts';
import { Call } from './call/index.tsx';
import { Translate } from './translation/index.tsx';

/** Calls of any agent in any dialect, and what each dialect makes of a frame. */
export default function BenchPage(): JSX.Element {
  return route.value.query.get('view') === 'translation' ? <Translate /> : <Call />;
}
