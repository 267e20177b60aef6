import './translation.css';
import type { JSX } from 'preact';
import { onCallerLeft } from '../../../shell/session.ts';
import { Button } from '../../../ui/index.ts';
import { Bench } from '../frame.tsx';
import { busy, nothing, show } from './state.ts';
import { Translation } from './translation.tsx';

onCallerLeft(() => show('', nothing));

/** A frame, an event or a task in every generation side by side, with the losses of each. */
export const Translate = (): JSX.Element => (
  <Bench busy={busy.value} actions={<Button onClick={() => show('', nothing)}>Clear</Button>}>
    <Translation />
  </Bench>
);
