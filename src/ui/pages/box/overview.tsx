/** The machine: version, uptime, memory, network, disks. What only experts need is folded. */
import { receiver } from '../../shared/receiver.ts';
import { lengthOf, sizeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { language, words } from '../../shared/words.ts';
import { Facts } from './facts.tsx';

const units = ['kB', 'MB', 'GB', 'TB'];

/** Bytes of a size such as `931.5 GB`, whose units are binary. */
function bytesOf(text: string): number {
  const [, number = '0', unit = ''] = /^([\d.]+) (\w+)/.exec(text) ?? [];
  return Number(number) * 1024 ** (units.indexOf(unit) + 1);
}

/** `3 days 4 h 5 min`, of `3d 4:05`. */
function uptimeOf(text: string): string {
  const [, days = '0', hours = '0', minutes = '0'] = /^(?:(\d+)d )?(\d+):(\d+)$/.exec(text) ?? [];
  const format = new Intl.NumberFormat(language.value, { style: 'unit', unit: 'day', unitDisplay: 'long' });
  const rest = lengthOf(Number(hours) * 3600 + Number(minutes) * 60);
  return days === '0' ? rest : `${format.format(Number(days))} ${rest}`;
}

export function Overview() {
  const { value } = useResponse(
    (signal) => receiver.get('/api/deviceinfo', {}, { signal }),
    [],
    ['recording', 'tuner'],
  );
  const { box } = words.value;
  if (value === undefined) return null;
  return (
    <div class="cards">
      <section class="card" aria-labelledby="machine">
        <h2 id="machine">{value.model}</h2>
        <Facts
          of={[
            [box.version, `receiverd ${value.imagever}`],
            [box.uptime, uptimeOf(value.uptime)],
          ]}
          details={[
            [box.system, value.oever],
            [box.kernel, value.kernelver],
            [box.processor, value.chipset],
          ]}
        />
      </section>
      <section class="card" aria-labelledby="memory">
        <h2 id="memory">{box.memory}</h2>
        <UsageBar total={bytesOf(value.mem1)} free={bytesOf(value.mem2)} />
      </section>
      {value.ifaces.map(({ name, mac, ip, mask, gw, dhcp, linkspeed, firstpublic }) => (
        <section key={name} class="card" aria-label={`${box.network} ${name}`}>
          <h2>
            {box.network} {name}
          </h2>
          <Facts
            of={[
              ['IPv4', ip && `${ip} (${dhcp ? 'DHCP' : box.fixed})`],
              ['IPv6', firstpublic],
            ]}
            details={[
              [box.netmask, mask],
              [box.gateway, gw],
              ['MAC', mac],
              [box.speed, linkspeed === 'unknown' ? '' : linkspeed],
            ]}
          />
        </section>
      ))}
      {value.hdd.map(({ model, mount, capacity, free }) => (
        <section key={mount} class="card" aria-label={`${box.disk} ${mount}`}>
          <h2>
            {box.disk} {mount}
          </h2>
          <UsageBar total={bytesOf(capacity)} free={bytesOf(free)} />
          <Facts of={[]} details={[[box.device, model]]} />
        </section>
      ))}
    </div>
  );
}

function UsageBar({ total, free }: { readonly total: number; readonly free: number }) {
  return (
    <p class="room">
      <progress max={total} value={total - free} aria-hidden="true" />
      {words.value.box.freeOf(sizeOf(free), sizeOf(total))}
    </p>
  );
}
