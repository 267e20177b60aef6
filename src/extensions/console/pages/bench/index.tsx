import './bench.css';
import './translation/translation.css';
import type { JSX } from 'preact';
import { hrefOf, route } from '../../shell/router.ts';
import { onCallerLeft } from '../../shell/session.ts';
import { Button, Page, Tabs } from '../../ui/index.ts';
import { Call, CallActions } from './call/index.tsx';
import { busy, nothing, show } from './translation/state.ts';
import { Translation } from './translation/translation.tsx';

onCallerLeft(() => show('', nothing));

/** Calls of any agent in any dialect, and translations of a frame to each dialect. Choices in one view stay in the address of the other. */
export default function BenchPage(): JSX.Element {
  const { query } = route.value;
  const at = (view: string): string => hrefOf('bench', [], { ...Object.fromEntries(query), view });
  const tabs = [
    { id: '', title: 'Call', href: at('') },
    { id: 'translation', title: 'Translate', href: at('translation') },
  ];
  const isTranslation = query.get('view') === 'translation';
  const clear = <Button onClick={() => show('', nothing)}>Clear</Button>;
  return (
    <Page title="Bench" of={{ busy: busy.value }} actions={isTranslation ? clear : <CallActions />}>
      <Tabs label="Views" selected={query.get('view') ?? ''} tabs={tabs} />
      {isTranslation ? <Translation /> : <Call />}
    </Page>
  );
}
