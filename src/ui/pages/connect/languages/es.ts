/** The texts of the page that connects apps, in Spanish. */
import type { Texts } from './en.ts';

const spanish: Texts = {
  apps: 'Apps',
  browser: 'Móvil o tableta',
  channels: 'Canales',
  allChannels: 'Todos los canales',
  values: {
    page: 'Dirección',
    host: 'Host',
    webPort: 'Puerto web',
    streamPort: 'Puerto de streaming',
    playlist: 'Lista (M3U)',
    guide: 'Guía (XMLTV)',
    tuner: 'Dirección del sintonizador',
  },
  about: {
    browser:
      'Abre esta dirección en otro dispositivo de tu red o escanéala con la cámara. Muchos navegadores pueden añadir la página a la pantalla de inicio.',
    kodi: 'Instala el complemento Enigma2 Client, introduce estos valores y reinicia Kodi. Los canales, la guía, las programaciones y las grabaciones aparecerán en TV y Radio.',
    vlc: 'Abre los canales como lista de reproducción. mpv y la mayoría de los reproductores aceptan la misma dirección.',
    jellyfin:
      'Añade la lista como sintonizador y después la guía. Jellyfin las relaciona por los identificadores de los canales.',
    plex: 'Plex encuentra el receptor como sintonizador HDHomeRun. Si no, introduce allí esta dirección. Para la guía elige XMLTV e introduce la segunda dirección.',
    iptv: 'TiviMate y otras apps de IPTV aceptan la lista, y la guía como dirección de EPG.',
    homeAssistant:
      'Añade el receptor como reproductor multimedia. Con un bróker MQTT en los ajustes también aparece solo, con más controles.',
    dreamDroid: 'Mando, guía, programaciones y emisiones en Android. Deja los demás campos como están.',
  },
  hdhomerunOff: 'El receptor todavía no aparece como HDHomeRun.',
  switchOn: 'Activar',
  qrCode: (label: string) => `Código QR: ${label}`,
  local: (host: string) =>
    `Has abierto esta página en el propio equipo del receptor. En tu red, su dirección es ${host}.`,
  onlyHere: 'Estas direcciones solo funcionan en este equipo, porque no tiene dirección en ninguna red.',
  needsPorts:
    'Esta app necesita los puertos propios del receptor, a los que esta dirección no lleva. Abre esta página en la dirección HTTP del receptor para verlos.',
  secureApp: 'Estos puertos son para HTTPS: activa HTTPS (SSL) en la app, también para las emisiones.',
  certificate:
    'Si una app rechaza el certificado del receptor, abre esta página por HTTP y usa las direcciones que muestre entonces.',
  login:
    'Introduce el usuario y la contraseña de una cuenta que pueda ver la televisión, y activa el inicio de sesión para las emisiones si la app lo ofrece.',
  loginOfLists:
    'La lista y la guía requieren iniciar sesión. Algunas apps lo piden; en otras, ponlo en la dirección: http://USUARIO:CONTRASEÑA@… Las direcciones de la lista funcionan sin iniciar sesión durante un tiempo limitado, así que deja que la app la actualice cada día. Si una app no puede iniciar sesión, permite ver la televisión sin ella en los ajustes, en Red y acceso.',
};

export default spanish;
