/** The receiver: machine, tuners, signal, streams, log, diagnostics and accounts. */
import type { ComponentType } from 'preact';
import { Entrance } from '../../shared/entrance.tsx';
import { missingRights } from '../../shared/login.ts';
import { route } from '../../shared/route.ts';
import { Accounts } from './accounts.tsx';
import { Doctor } from './doctor.tsx';
import { BoxHead, privateViews } from './head.tsx';
import { Log } from './log.tsx';
import { Overview } from './overview.tsx';
import { SignalPlot } from './signal-plot.tsx';
import { Streams } from './streams.tsx';
import { Tuners } from './tuners.tsx';

/** Views by `view` in the address. */
const views: Readonly<Record<string, ComponentType>> = {
  tuners: Tuners,
  signal: SignalPlot,
  streams: Streams,
  log: Log,
  doctor: Doctor,
  accounts: Accounts,
};

export default function Box() {
  const { view = '' } = route.value.query;
  const View = views[view] ?? Overview;
  const isShown = !privateViews.has(view) || !missingRights.value.has('admin');
  return (
    <section class="box">
      <BoxHead />
      {isShown ? <View key={view} /> : <Entrance />}
    </section>
  );
}
