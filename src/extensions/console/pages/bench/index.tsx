import './bench.css';
import './translation/translation.css';
import type { JSX } from 'preact';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { onCallerLeft } from '../../shell/session.ts';
import { Button, Page, type PageProps, Tabs } from '../../ui/index.ts';
import { Call, CallActions } from './call/index.tsx';
import { readAgents } from './call/state.ts';
import { busy, nothing, show } from './translation/state.ts';
import { Translation } from './translation/translation.tsx';

onCallerLeft(() => show('', nothing));

/** Calls of any agent in any dialect, and translations of a frame to each dialect. */
export default function BenchPage(): JSX.Element {
  return route.value.query.get('view') === 'translation' ? <Translate /> : <Calls />;
}

/** The frame of a view. Choices in one view stay in the address of the other. */
function View({ children, ...page }: Omit<PageProps, 'title'>): JSX.Element {
  const { query } = route.value;
  const at = (view: string): string => hrefOf('bench', [], { ...Object.fromEntries(query), view });
  const tabs = [
    { id: '', title: 'Call', href: at('') },
    { id: 'translation', title: 'Translate', href: at('translation') },
  ];
  return (
    <Page {...page} title="Bench">
      <Tabs label="Views" selected={query.get('view') ?? ''} tabs={tabs} />
      {children}
    </Page>
  );
}

const Calls = (): JSX.Element => (
  <View of={useRead(readAgents)} actions={<CallActions />}>
    <Call />
  </View>
);

const Translate = (): JSX.Element => (
  <View of={{ busy: busy.value }} actions={<Button onClick={() => show('', nothing)}>Clear</Button>}>
    <Translation />
  </View>
);
