export { openPushDesk, type PushDesk, type PushTrouble } from '../../stores/index.ts';
