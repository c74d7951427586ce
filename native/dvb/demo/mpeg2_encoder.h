// A small MPEG-2 video encoder (ISO/IEC 13818-2, Main Profile at Main Level) for pictures of which little changes.
//
// A picture is a header and slices. A slice here never spans macroblock rows, starts on a byte and depends on nothing
// before it (§6.1.2, predictors are reset), so slices are encoded once, kept as bytes and joined to pictures. Inside a
// predicted picture a macroblock is either intra coded, or taken over unchanged (skipped), or taken over from a place
// up to 7 pixels to its right (a ticker that runs to the left): nothing carries a coded difference, so nothing drifts.
#pragma once

#include <cstdint>
#include <functional>

#include "dvb/demo/bit_writer.h"
#include "dvb/demo/picture.h"

namespace receiverd::dvb::demo {

struct VideoFormat {
  int width = 720;
  int height = 576;
  int display_aspect = 3;         ///< aspect_ratio_information: 2 = 4:3, 3 = 16:9
  std::uint32_t bit_rate = 4000;  ///< upper bound in units of 400 bit/s
};

enum class PictureType : std::uint8_t { intra = 1, predicted = 2 };

/// Sequence header and extensions, group of pictures header. `time_code` is seconds of the day, `frame` 0..24 in it.
void write_sequence_start(ByteVector& out, const VideoFormat& format, int time_code, int frame);

/// Picture header and coding extension. `temporal_reference`: number of the picture in its group.
void write_picture_start(ByteVector& out, PictureType type, int temporal_reference);

/// Slice of macroblocks [first, end) of `row`. `quantiser` is quantiser_scale_code 1..31 (scale = 2 * code).
void encode_intra_slice(ByteVector& out, const Picture& picture, int row, int first, int end, int quantiser);

/// The same in a predicted picture: macroblocks for which `changed(column)` holds are coded, the others skipped.
void encode_predicted_slice(ByteVector& out, const Picture& picture, int row, int first, int end, int quantiser,
                            const std::function<bool(int)>& changed);

/// A whole row that moves left by `pixels` (0..4): all but the last macroblock are fetched from the right.
void encode_scrolled_slice(ByteVector& out, const Picture& picture, int row, int pixels, int quantiser);

}  // namespace receiverd::dvb::demo
