/** A notice for tests. */
import type { Notice } from '../../src/events/notice.ts';

export const notice = (fields: Partial<Notice> = {}): Notice => ({
  ...{ id: '1', event: 'recordingEnded', time: 1767291000, receiver: 'Living room' },
  ...{ message: 'Recording has ended: Ships (Alpha HD)', title: 'Ships', service: 'Alpha HD' },
  ...{ reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:', begin: 1767290400, end: 1767293100, description: '' },
  ...{ path: '/movie/Ships.ts', problem: '', ongoing: false, timer: 0, conflicts: [] },
  ...fields,
});
