import type { GuardJudge } from '../../../src/index.ts';

/** A judge that allows everything at once. */
const allow: GuardJudge = () => ({ action: 'allow' });
export default allow;
