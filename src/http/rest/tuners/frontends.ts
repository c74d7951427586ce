/** `/api/frontends`: the front ends of the machine, which the setting `tuners` may name. */
import * as Type from 'typebox';
import { formatTunerSpec } from '../../../config/tuner-spec.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { field, recordSchema } from '../../write/record.ts';

const FrontEnd = recordSchema(
  {
    source: field('dvb:0', 'for the setting tuners'),
    name: field('TurboSight TBS 6903', 'as its driver calls it; empty if it does not respond'),
    systems: field(['DVB-S', 'DVB-S2'], 'delivery systems'),
    trouble: field('', 'why it does not respond; empty if it does'),
  },
  { $id: 'FrontEnd' },
);

const frontends = route({
  path: '/api/frontends',
  name: 'frontends',
  summary: 'The front ends of the machine, also those that the receiver does not use.',
  isPrivate: true,
  permission: 'admin',
  responses: {
    200: { description: 'the front ends', schema: recordSchema({ frontends: Type.Array(FrontEnd), result: true }) },
  },
  async run({ tuners }) {
    const frontends = (await tuners.findFrontEnds()).map(({ adapter, frontend, name, systems, trouble }) => ({
      source: formatTunerSpec({ kind: 'dvb', adapter, frontend }),
      name: cleaned(name),
      systems: [...systems],
      trouble,
    }));
    return { body: { frontends, result: true } };
  },
});

export const frontEndRoutes = group('device', [frontends]);
