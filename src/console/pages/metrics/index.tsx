import type { JSX } from 'preact';
import { Empty, Page } from '../../ui/index.ts';

export default function MetricsPage(): JSX.Element {
  return (
    <Page title="Metrics">
      <Empty title="This page is not built yet" />
    </Page>
  );
}
