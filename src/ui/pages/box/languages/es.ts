/** The checks of the doctor in Spanish. */
import type { Texts } from './en.ts';

const spanish: Texts = {
  passed: (count: number) => (count === 1 ? '1 comprobación correcta' : `${count} comprobaciones correctas`),
  details: 'Detalles',
  checks: {
    node: ['Node.js', 'Node.js es demasiado antiguo', 'Instala una versión más reciente de Node.js en este equipo.'],
    addon: ['Programa', 'Falta una parte del programa', 'Vuelve a instalar receiverd.'],
    settings: [
      'Ajustes',
      'No se puede leer el archivo de configuración',
      'Se usan los ajustes anteriores al último cambio. Cambia un ajuste para escribir el archivo de nuevo.',
    ],
    folder: [
      'Carpeta',
      'No se puede usar una carpeta',
      'Comprueba que su disco está conectado y tiene espacio, o elige otra carpeta.',
    ],
    lists: [
      'Listas',
      'No se puede leer una lista por completo',
      'Pueden faltar canales, programaciones o cuentas. Los detalles indican el archivo.',
    ],
    guide: [
      'Fuente de la guía',
      'No se pudo leer una fuente de la guía',
      'Comprueba su dirección. Los detalles indican la respuesta del servidor; el receptor lo seguirá intentando.',
    ],
    tuner: [
      'Sintonizador',
      'Un sintonizador no funciona',
      'Comprueba que está conectado y encendido y que su dirección es correcta.',
    ],
    channels: [
      'Canales',
      'Ningún sintonizador recibe los canales',
      'La demo integrada es el único sintonizador. Elige el que recibe los canales de tus listas.',
    ],
    firmware: [
      'Firmware',
      'Falta el firmware de un sintonizador',
      'Instala los archivos que indican los detalles y reinicia el equipo.',
    ],
    port: ['Puerto', 'No se puede usar un puerto', 'Cierra el programa que lo ocupa o elige otro puerto.'],
    output: [
      'Imagen',
      'Este equipo no puede mostrar la imagen',
      'Instala mpv 0.33 o posterior, o desactiva la imagen en este equipo.',
    ],
    command: [
      'Apagado',
      'El equipo no se puede apagar desde aquí',
      'Falta el comando. Indica otro o no permitas el apagado.',
    ],
    alarm: [
      'Alarma de encendido',
      'El equipo no se puede encender para grabar',
      'Permite que el receptor ponga la alarma o desactívala: el equipo seguirá encendido mientras haya programaciones.',
    ],
    keys: [
      'Mando',
      'El mando no puede escribir en este equipo',
      'Carga el módulo uinput y permite que el receptor lo use, o desactiva el ajuste.',
    ],
  },
};

export default spanish;
