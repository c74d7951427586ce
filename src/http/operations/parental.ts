/** The parental list. */
import Type, { type Static } from 'typebox';
import { parentalList } from '../../playback/parental-control.ts';
import { operation } from '../faces/operation.ts';
import { serviceListView } from './services.ts';

const LockedServices = Type.Object({
  result: Type.Boolean(),
  type: Type.Unsafe<'blacklist' | 'whitelist'>({
    type: 'string',
    enum: ['blacklist', 'whitelist'],
    description: 'whether the listed services are locked, or the only ones not locked',
  }),
  /** An iterable, because a list may have any length. */
  services: Type.Unsafe<Iterable<{ servicereference: string; servicename: string }>>({
    type: 'array',
    items: Type.Object({ servicereference: Type.String(), servicename: Type.String() }),
  }),
});
type LockedServices = Static<typeof LockedServices>;

const parentcontrollist = operation({
  name: 'parentcontrollist',
  since: '0.1',
  tag: 'services',
  summary: 'The parental list: the locked services and bouquets, or, with a whitelist, the only ones not locked.',
  description: 'The contents of `blacklist` or `whitelist` in the Enigma2 folder, whether or not the lock is active.',
  parameters: {},
  result: LockedServices,
  xml: serviceListView<LockedServices>(({ services }) => services),
  example: {
    result: true,
    type: 'blacklist',
    services: [{ servicereference: '1:0:19:2B66:3F3:1:C00000:0:0:0:', servicename: 'Alpha HD' }],
  },
  run({ services, settings }) {
    const { kind, references } = parentalList({ services, settings });
    return {
      result: true,
      type: kind,
      services: {
        *[Symbol.iterator]() {
          for (const one of references) {
            yield { servicereference: one.format(), servicename: services.nameOf(one) };
          }
        },
      },
    };
  },
});

export const parentalOperations = [parentcontrollist];
