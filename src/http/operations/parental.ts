/** The parental list. */
import Type, { type Static } from 'typebox';
import { parentalList } from '../../playback/parental-control.ts';
import { area, operation } from '../faces/operation.ts';
import { oneOf, record } from '../write/record.ts';
import { lazily } from '../write/written-list.ts';
import { ListedService, listedService, serviceListView } from './lists.ts';

const LockedServices = record({
  result: true,
  type: oneOf(['blacklist', 'whitelist'], 'whether the listed services are locked, or the only ones not locked'),
  services: Type.Array(ListedService),
});

const parentcontrollist = operation({
  name: 'parentcontrollist',
  summary: 'The parental list: the locked services and bouquets, or, with a whitelist, the only ones not locked.',
  description: 'The contents of `blacklist` or `whitelist` in the Enigma2 folder, whether or not the lock is active.',
  result: LockedServices,
  xml: serviceListView<Static<typeof LockedServices>>(({ services }) => services),
  run({ services, settings }) {
    const { kind, references } = parentalList({ services, settings });
    const shown = lazily(references, (reference) => listedService({ reference, name: services.nameOf(reference) }));
    return { result: true, type: kind, services: shown };
  },
});

export const parentalOperations = area('services', [parentcontrollist]);
