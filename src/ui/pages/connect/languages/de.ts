/** The texts of the page that connects apps, in German. */
import type { Texts } from './en.ts';

const german: Texts = {
  apps: 'Apps',
  browser: 'Handy oder Tablet',
  channels: 'Sender',
  allChannels: 'Alle Sender',
  values: {
    page: 'Adresse',
    host: 'Host',
    webPort: 'Web-Port',
    streamPort: 'Streaming-Port',
    playlist: 'Playlist (M3U)',
    guide: 'TV-Programm (XMLTV)',
    tuner: 'Tuner-Adresse',
  },
  about: {
    browser:
      'Öffne diese Adresse auf einem anderen Gerät in deinem Netzwerk oder scanne sie mit der Kamera. Viele Browser können die Seite zum Startbildschirm hinzufügen.',
    kodi: 'Installiere das Add-on Enigma2 Client, trage diese Werte ein und starte Kodi neu. Sender, Programm, Timer und Aufnahmen erscheinen dann unter TV und Radio.',
    vlc: 'Öffnet die Sender als Playlist. mpv und die meisten anderen Player nehmen dieselbe Adresse.',
    jellyfin:
      'Füge die Playlist als Tuner hinzu, dann das TV-Programm. Jellyfin ordnet beide über die Kennungen der Sender zu.',
    plex: 'Plex findet den Empfänger als HDHomeRun-Tuner. Wenn nicht, trage dort diese Adresse ein. Wähle für das TV-Programm XMLTV und trage die zweite Adresse ein.',
    iptv: 'TiviMate und andere IPTV-Apps nehmen die Playlist und das TV-Programm als EPG-Adresse.',
    homeAssistant:
      'Fügt den Empfänger als Mediaplayer hinzu. Mit einem MQTT-Broker in den Einstellungen erscheint er auch von selbst, mit mehr Bedienelementen.',
    dreamDroid: 'Fernbedienung, Programm, Timer und Streams unter Android. Lass die übrigen Felder, wie sie sind.',
  },
  hdhomerunOff: 'Der Empfänger erscheint noch nicht als HDHomeRun.',
  switchOn: 'Einschalten',
  qrCode: (label: string) => `QR-Code: ${label}`,
  local: (host: string) =>
    `Du hast diese Seite auf dem Gerät geöffnet, auf dem der Empfänger läuft. Im Netzwerk ist seine Adresse ${host}.`,
  onlyHere: 'Diese Adressen gelten nur auf diesem Gerät, weil es keine Adresse in einem Netzwerk hat.',
  needsPorts:
    'Diese App braucht die eigenen Ports des Empfängers, zu denen diese Adresse nicht führt. Öffne diese Seite unter der HTTP-Adresse des Empfängers, um sie zu sehen.',
  secureApp: 'Diese Ports sind für HTTPS: Schalte in der App HTTPS (SSL) ein, auch für Streams.',
  certificate:
    'Wenn eine App das Zertifikat des Empfängers ablehnt, öffne diese Seite über HTTP und nimm die Adressen, die sie dann zeigt.',
  login:
    'Gib Benutzername und Passwort eines Kontos ein, das fernsehen darf, und schalte die Anmeldung für Streams ein, falls die App das anbietet.',
  loginOfLists:
    'Playlist und TV-Programm erfordern eine Anmeldung. Manche Apps fragen danach; bei anderen gehört sie in die Adresse: http://BENUTZER:PASSWORT@… Die Adressen in der Playlist gelten nur begrenzte Zeit ohne Anmeldung; lass die App sie täglich aktualisieren. Kann sich eine App nicht anmelden, erlaube in den Einstellungen unter „Netzwerk und Zugriff“ das Fernsehen ohne Anmeldung.',
};

export default german;
