//! Lenient JSON values: a value of an unexpected type counts as absent, so that a change of the client's format costs
//! one field and not the whole line.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A string, or absent.
#[derive(Debug, Default)]
pub(super) struct Text(pub(super) Option<String>);

/// `true`, or anything else.
#[derive(Debug, Default)]
pub(super) struct Flag(pub(super) bool);

/// An object of the expected shape, or absent.
#[derive(Debug)]
pub(super) struct Object<T>(pub(super) Option<T>);

/// A string, or a list. Only the elements of the list that are objects of the expected shape are kept.
#[derive(Debug, Default)]
pub(super) enum TextOrList<T> {
    Text(String),
    List(Vec<T>),
    #[default]
    Neither,
}

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// Generates visitor methods that treat values as absent: numbers and nulls with `scalars`, and strings, booleans,
/// objects or lists with `text`, `flag`, `map` or `list`.
macro_rules! absent {
    (scalars) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
    (text) => {
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
    (flag) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
    (map) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
    (list) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
    ($one:ident, $($more:ident),+) => {
        absent!($one);
        $(absent!($more);)+
    };
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;
    absent!(scalars, flag, map, list);

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Some(text.to_owned())))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = Flag;
    absent!(scalars, text, map, list);

    fn visit_bool<E>(self, flag: bool) -> Result<Flag, E> {
        Ok(Flag(flag))
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagVisitor)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;
    absent!(scalars, text, flag, list);

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| Object(Some(value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

struct TextOrListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for TextOrListVisitor<T> {
    type Value = TextOrList<T>;
    absent!(scalars, flag, map);

    fn visit_str<E>(self, text: &str) -> Result<TextOrList<T>, E> {
        Ok(TextOrList::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<TextOrList<T>, A::Error> {
        let mut found = Vec::new();
        while let Some(Object(element)) = list.next_element()? {
            found.extend(element);
        }
        Ok(TextOrList::List(found))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for TextOrList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrListVisitor(PhantomData))
    }
}
