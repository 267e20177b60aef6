import type { JSX } from 'preact';
import { Empty, Page } from '../../ui/index.ts';

export default function PushPage(): JSX.Element {
  return (
    <Page title="Push">
      <Empty title="This page is not built yet" />
    </Page>
  );
}
